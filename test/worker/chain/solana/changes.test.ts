import { describe, expect, it } from 'vitest';
import { notNow, refused } from '../../../../src/chain/reasons.ts';
import { change as changeOf } from '../../../../src/chain/solana/gateway.ts';
import type { OnChain } from '../../../../src/pass/pass.ts';
import type { Step } from '../../../../src/pass/step.ts';
import type { StepKind } from '../../../../src/pass/step-kinds.ts';
import { broadcastAll } from '../ask.ts';
import { chain, findingOf, flown, issueAnother, issued, sightingOf, signed, tokenOf } from './issuing.ts';
import {
  acting,
  addressOf,
  aStep,
  byGatekeeper,
  change,
  makeSlotsByHand,
  rpc,
  untilConfirmed,
  untilFinal,
} from './node.ts';

/** Changes of tokens that the gatekeeper issued, on the localnet's node. */

makeSlotsByHand();

const EXPIRY = 2_000_000_000;
const LATER = 2_100_000_000;
const KINDS = ['freeze', 'unfreeze', 'set-expiry', 'revoke'] as const;
const DEEDS = { unfreeze: 0, freeze: 1, revoke: 2, burn: undefined } as const;
type Deed = keyof typeof DEEDS;

/** Prepares a change of a pass with a final token, after changes by others. */
async function aChange(kind: StepKind, ...deeds: Deed[]): Promise<Step> {
  const issuance = aStep({ expiry: EXPIRY });
  await issued(issuance);
  await byOthers(issuance, ...deeds);
  await untilFinal();
  return { ...issuance, id: `${issuance.id}1`, kind, expiry: kind === 'set-expiry' ? LATER : undefined };
}

async function byOthers(step: Step, ...deeds: Deed[]): Promise<void> {
  for (const deed of deeds) await byGatekeeper(await change(step, DEEDS[deed]));
}

const confirmedSlot = async () => Number(await rpc().getSlot({ commitment: 'confirmed' }).send());
const statesOf = async (step: Step) => [(await tokenOf(step, 0))?.state, (await tokenOf(step, 1))?.state];
const found = (onChain: OnChain) => ({ type: 'found', onChain: { ...onChain, asOf: expect.any(Number) } });
const NOT_FINAL = notNow('tokens-not-final');
const BEHIND = notNow('state-behind');

describe('a change on Solana from preparation to finality', () => {
  it.each`
    kind            | before        | state        | expiry
    ${'freeze'}     | ${[]}         | ${'FROZEN'}  | ${EXPIRY}
    ${'unfreeze'}   | ${['freeze']} | ${'ACTIVE'}  | ${EXPIRY}
    ${'set-expiry'} | ${[]}         | ${'ACTIVE'}  | ${LATER}
    ${'set-expiry'} | ${['freeze']} | ${'FROZEN'}  | ${LATER}
    ${'revoke'}     | ${[]}         | ${'REVOKED'} | ${EXPIRY}
    ${'revoke'}     | ${['freeze']} | ${'REVOKED'} | ${EXPIRY}
  `('$kind after $before leaves the state $state and expiry $expiry', async ({ kind, before, state, expiry }) => {
    const step = await aChange(kind, ...before);
    expect(await findingOf(step)).toMatchObject({ type: 'ready', expectedOnChain: { state, expiry } });
    const sent = await signed(step);
    expect(await broadcastAll(chain, [sent])).toEqual([{ type: 'accepted' }]);
    expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
    await untilConfirmed();
    const sighting = await sightingOf(step, sent);
    expect(sighting).toMatchObject({ type: 'confirmed', identifier: sent.identifier });
    if (sighting?.type !== 'confirmed') throw new Error('not confirmed');
    expect(await tokenOf(step)).toMatchObject({ state, expiry });
    expect(await findingOf(step)).toEqual(NOT_FINAL);
    expect(await sightingOf(step, sent, sighting.includedIn)).toEqual({ type: 'still-included' });
    await untilFinal();
    expect(await sightingOf(step, sent, sighting.includedIn)).toEqual({ type: 'final' });
    expect(await findingOf(step)).toEqual(found({ state, expiry }));
  });

  it.each`
    before
    ${[]}
    ${['freeze']}
  `('set-expiry without an expiry is refused on Solana, after $before', async ({ before }) => {
    const step = { ...(await aChange('set-expiry', ...before)), expiry: undefined };
    expect(await findingOf(step)).toEqual(refused('expiry-not-clearable'));
  });
});

it.each(KINDS)('%s changes a token on Solana as soon as the token is confirmed', async (kind) => {
  const issuance = aStep();
  await flown(issuance);
  const step: Step = { ...issuance, kind, expiry: kind === 'set-expiry' ? LATER : undefined };
  if (kind === 'unfreeze') await byOthers(step, 'freeze');
  expect(await findingOf(step)).toMatchObject({ type: 'ready' });
});

describe('a change by somebody else before our step on Solana', () => {
  it.each`
    kind            | before        | deed          | state
    ${'freeze'}     | ${[]}         | ${'freeze'}   | ${'FROZEN'}
    ${'unfreeze'}   | ${['freeze']} | ${'unfreeze'} | ${'ACTIVE'}
    ${'revoke'}     | ${[]}         | ${'revoke'}   | ${'REVOKED'}
    ${'freeze'}     | ${[]}         | ${'revoke'}   | ${'REVOKED'}
    ${'unfreeze'}   | ${['freeze']} | ${'revoke'}   | ${'REVOKED'}
    ${'set-expiry'} | ${[]}         | ${'revoke'}   | ${'REVOKED'}
    ${'freeze'}     | ${[]}         | ${'burn'}     | ${'NONE'}
    ${'unfreeze'}   | ${['freeze']} | ${'burn'}     | ${'NONE'}
    ${'set-expiry'} | ${[]}         | ${'burn'}     | ${'NONE'}
    ${'revoke'}     | ${[]}         | ${'burn'}     | ${'NONE'}
  `('$kind finds the final state $state after $deed by somebody else', async ({ kind, before, deed, state }) => {
    const step = await aChange(kind, ...before);
    await byOthers(step, deed);
    expect(await findingOf(step)).toEqual(NOT_FINAL);
    await untilFinal();
    expect(await findingOf(step)).toEqual(found(state === 'NONE' ? { state } : { state, expiry: EXPIRY }));
  });

  it('set-expiry finds the wanted expiry that somebody else has set once it is final', async () => {
    const step = await aChange('set-expiry');
    const token = (await addressOf(step)).address;
    const extended = changeOf(await acting(step), token, { kind: 'set-expiry', expiry: LATER });
    if (extended) await byGatekeeper(extended);
    expect(await findingOf(step)).toEqual(NOT_FINAL);
    await untilFinal();
    expect(await findingOf(step)).toEqual(found({ state: 'ACTIVE', expiry: LATER }));
  });

  it('set-expiry changes a token that somebody else froze in the meantime', async () => {
    const step = await aChange('set-expiry');
    await byOthers(step, 'freeze');
    expect(await findingOf(step)).toMatchObject({ type: 'ready', expectedOnChain: { state: 'FROZEN', expiry: LATER } });
    await flown(step);
    expect(await tokenOf(step)).toMatchObject({ state: 'FROZEN', expiry: LATER });
  });
});

describe('several tokens of one wallet on Solana', () => {
  it('freezes several active tokens one after the other, the one with the latest expiry first', async () => {
    const step = await aChange('freeze');
    await issueAnother(step, 1, LATER);
    await untilFinal();
    expect(await findingOf(step)).toMatchObject({
      type: 'ready',
      expectedOnChain: { state: 'ACTIVE', expiry: EXPIRY },
    });
    const { block } = await flown(step);
    expect(await statesOf(step)).toEqual(['ACTIVE', 'FROZEN']);
    const next: Step = { ...step, id: `${step.id}2`, known: { state: 'ACTIVE', asOf: block } };
    expect(await findingOf(next)).toMatchObject({ type: 'ready', expectedOnChain: { state: 'FROZEN', expiry: LATER } });
    await flown(next);
    expect(await statesOf(step)).toEqual(['FROZEN', 'FROZEN']);
    await untilFinal();
    expect(await findingOf(next)).toEqual(found({ state: 'FROZEN', expiry: LATER }));
  });

  it('revokes several tokens one after the other, the active one first', async () => {
    const step = await aChange('revoke', 'freeze');
    await issueAnother(step, 1);
    await untilFinal();
    expect(await findingOf(step)).toMatchObject({ type: 'ready', expectedOnChain: { state: 'FROZEN' } });
    const { block } = await flown(step);
    expect(await statesOf(step)).toEqual(['FROZEN', 'REVOKED']);
    const next: Step = { ...step, id: `${step.id}2`, known: { state: 'ACTIVE', asOf: block } };
    expect(await findingOf(next)).toMatchObject({ type: 'ready', expectedOnChain: { state: 'REVOKED' } });
    await flown(next);
    expect(await statesOf(step)).toEqual(['REVOKED', 'REVOKED']);
  });

  it('unfreezes one of several frozen tokens, and the pass is active', async () => {
    const step = await aChange('unfreeze', 'freeze');
    await issueAnother(step, 1, LATER);
    await byGatekeeper(await change(step, DEEDS.freeze, { index: 1 }));
    await untilFinal();
    expect(await findingOf(step)).toMatchObject({ type: 'ready', expectedOnChain: { state: 'ACTIVE', expiry: LATER } });
    await flown(step);
    expect(await statesOf(step)).toEqual(['FROZEN', 'ACTIVE']);
    await untilFinal();
    expect(await findingOf(step)).toEqual(found({ state: 'ACTIVE', expiry: LATER }));
  });
});

it.each(['freeze', 'revoke'] as const)('%s is without effect when somebody else did it first', async (kind) => {
  const step = await aChange(kind);
  const sent = await signed(step);
  await byOthers(step, kind);
  expect(await broadcastAll(chain, [sent])).toEqual([{ type: 'accepted' }]);
  await untilConfirmed();
  expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
  await untilFinal();
  expect(await sightingOf(step, sent)).toEqual({ type: 'without-effect', identifier: sent.identifier });
  expect(await findingOf(step)).toEqual(found({ state: kind === 'freeze' ? 'FROZEN' : 'REVOKED', expiry: EXPIRY }));
});

describe('a step on Solana that knows a newer slot than the node', () => {
  it.each(KINDS)('%s waits while the node is behind the slot that the pass knows', async (kind) => {
    const step = await aChange(kind, ...(kind === 'unfreeze' ? (['freeze'] as const) : []));
    const slot = await confirmedSlot();
    expect(await findingOf({ ...step, known: { state: 'ACTIVE', asOf: slot + 1_000 } })).toEqual(BEHIND);
    expect(await findingOf({ ...step, known: { state: 'ACTIVE', asOf: slot } })).toMatchObject({ type: 'ready' });
  });

  it('finds the wanted state only in a final slot that is as new as the slot that the pass knows', async () => {
    const step = await aChange('freeze', 'freeze');
    const known: Step = { ...step, known: { state: 'ACTIVE', asOf: await confirmedSlot() } };
    expect(await findingOf(known)).toEqual(NOT_FINAL);
    await untilFinal();
    expect(await findingOf(known)).toEqual(found({ state: 'FROZEN', expiry: EXPIRY }));
  });
});
