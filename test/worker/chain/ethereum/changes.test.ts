import { describe, expect, it } from 'vitest';
import { notNow } from '../../../../src/chain/reasons.ts';
import type { OnChain } from '../../../../src/pass/pass.ts';
import type { Step } from '../../../../src/pass/step.ts';
import type { StepKind } from '../../../../src/pass/step-kinds.ts';
import { CIVIC_CONTRACT } from '../../../default-contract.ts';
import { broadcastAll } from '../ask.ts';
import {
  chain,
  type Deed,
  eventsOf,
  expirationData,
  findingOf,
  flown,
  issued,
  mintAnother,
  sightingOf,
  signed,
  tokenData,
  tokenIdOf,
  tokenIdsOf,
  tokensOf,
} from './issuing.ts';
import { aStep, byGatekeeper, callSepolia, makeBlocksByHand, mine } from './node.ts';

/** Changes of tokens on the real contract. The test makes the blocks, and so decides about finality. */

makeBlocksByHand();

const EXPIRY = 2_000_000_000;
const LATER = 2_100_000_000;
const KINDS = ['freeze', 'unfreeze', 'set-expiry', 'revoke'] as const;

/** Prepares a change of a pass with a final token, after changes by others. */
async function aChange(kind: StepKind, ...deeds: Deed[]): Promise<Step> {
  const issuance = aStep({ expiry: EXPIRY });
  await issued(issuance);
  await byOthers(issuance, ...deeds);
  await mine(3);
  return { ...issuance, id: `${issuance.id}1`, kind, expiry: kind === 'set-expiry' ? LATER : undefined };
}

async function byOthers(step: Step, ...deeds: Deed[]): Promise<void> {
  const id = await tokenIdOf(step);
  for (const deed of deeds) await byGatekeeper(tokenData(deed, id));
}

const headNumber = async () => Number(await callSepolia<string>('eth_blockNumber'));
const found = (onChain: OnChain) => ({ type: 'found', onChain: { ...onChain, asOf: expect.any(Number) } });
const NOT_FINAL = notNow('tokens-not-final');
const BEHIND = notNow('state-behind');

describe('a change on Ethereum from preparation to finality', () => {
  it.each`
    kind            | before        | event           | state        | expiry
    ${'freeze'}     | ${[]}         | ${'Freeze'}     | ${'FROZEN'}  | ${EXPIRY}
    ${'unfreeze'}   | ${['freeze']} | ${'Unfreeze'}   | ${'ACTIVE'}  | ${EXPIRY}
    ${'set-expiry'} | ${[]}         | ${'Expiration'} | ${'ACTIVE'}  | ${LATER}
    ${'revoke'}     | ${[]}         | ${'Revoke'}     | ${'REVOKED'} | ${EXPIRY}
    ${'revoke'}     | ${['freeze']} | ${'Revoke'}     | ${'REVOKED'} | ${EXPIRY}
  `('$kind after $before leaves $state, with the event $event', async ({ kind, before, event, state, expiry }) => {
    const step = await aChange(kind, ...before);
    expect(await findingOf(step)).toMatchObject({ type: 'ready', expectedOnChain: { state, expiry } });
    const sent = await signed(step);
    expect(await broadcastAll(chain, [sent])).toEqual([{ type: 'accepted' }]);
    expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
    await mine();
    const sighting = await sightingOf(step, sent);
    expect(sighting).toMatchObject({ type: 'confirmed', identifier: sent.identifier });
    if (sighting?.type !== 'confirmed') throw new Error('not confirmed');
    expect(await eventsOf(sent)).toMatchObject([{ eventName: event, tokenId: await tokenIdOf(step) }]);
    expect(await tokensOf(step)).toEqual([{ state, expiry }]);
    expect(await findingOf(step)).toEqual(NOT_FINAL);
    expect(await sightingOf(step, sent, sighting.includedIn)).toEqual({ type: 'still-included' });
    await mine(2);
    expect(await sightingOf(step, sent, sighting.includedIn)).toEqual({ type: 'final', cost: expect.any(Number) });
    expect(await findingOf(step)).toEqual(found({ state, expiry }));
  });

  it('set-expiry without an expiry clears the expiry of the token', async () => {
    const step = { ...(await aChange('set-expiry')), expiry: undefined };
    expect(await findingOf(step)).toMatchObject({
      type: 'ready',
      expectedOnChain: { state: 'ACTIVE', expiry: undefined },
    });
    await flown(step);
    expect(await tokensOf(step)).toEqual([{ state: 'ACTIVE', expiry: 0 }]);
  });
});

it.each(KINDS)('%s waits until the mint of its token is final', async (kind) => {
  const issuance = aStep();
  await flown(issuance);
  const step: Step = { ...issuance, kind, expiry: kind === 'set-expiry' ? LATER : undefined };
  if (kind === 'unfreeze') await byGatekeeper(tokenData('freeze', await tokenIdOf(step)));
  expect(await findingOf(step)).toEqual(NOT_FINAL);
  await mine(2);
  expect(await findingOf(step)).toMatchObject({ type: 'ready' });
});

describe('a change by somebody else before our step on Ethereum', () => {
  it.each`
    kind            | before        | deed          | state
    ${'freeze'}     | ${[]}         | ${'freeze'}   | ${'FROZEN'}
    ${'unfreeze'}   | ${['freeze']} | ${'unfreeze'} | ${'ACTIVE'}
    ${'revoke'}     | ${[]}         | ${'revoke'}   | ${'REVOKED'}
    ${'freeze'}     | ${[]}         | ${'revoke'}   | ${'REVOKED'}
    ${'unfreeze'}   | ${['freeze']} | ${'revoke'}   | ${'REVOKED'}
    ${'set-expiry'} | ${[]}         | ${'revoke'}   | ${'REVOKED'}
    ${'set-expiry'} | ${[]}         | ${'freeze'}   | ${'FROZEN'}
    ${'freeze'}     | ${[]}         | ${'burn'}     | ${'NONE'}
    ${'unfreeze'}   | ${['freeze']} | ${'burn'}     | ${'NONE'}
    ${'set-expiry'} | ${[]}         | ${'burn'}     | ${'NONE'}
    ${'revoke'}     | ${[]}         | ${'burn'}     | ${'NONE'}
  `('$kind finds the final state $state after $deed by somebody else', async ({ kind, before, deed, state }) => {
    const step = await aChange(kind, ...before);
    await byOthers(step, deed);
    expect(await findingOf(step)).toEqual(NOT_FINAL);
    await mine(2);
    expect(await findingOf(step)).toEqual(found(state === 'NONE' ? { state } : { state, expiry: EXPIRY }));
  });

  it('set-expiry finds the wanted expiry that somebody else has set once it is final', async () => {
    const step = await aChange('set-expiry');
    await byGatekeeper(expirationData(await tokenIdOf(step), LATER));
    expect(await findingOf(step)).toEqual(NOT_FINAL);
    await mine(2);
    expect(await findingOf(step)).toEqual(found({ state: 'ACTIVE', expiry: LATER }));
  });
});

describe('several tokens of one wallet on Ethereum', () => {
  it('freezes several active tokens one after the other, the one with the latest expiry first', async () => {
    const step = await aChange('freeze');
    await mintAnother(step, LATER);
    await mine(3);
    expect(await findingOf(step)).toMatchObject({
      type: 'ready',
      expectedOnChain: { state: 'ACTIVE', expiry: EXPIRY },
    });
    const { block } = await flown(step);
    expect((await tokensOf(step)).map(({ state }) => state)).toEqual(['ACTIVE', 'FROZEN']);
    const next: Step = { ...step, id: `${step.id}2`, known: { state: 'ACTIVE', asOf: block } };
    expect(await findingOf(next)).toMatchObject({ type: 'ready', expectedOnChain: { state: 'FROZEN', expiry: LATER } });
    await flown(next);
    expect((await tokensOf(step)).map(({ state }) => state)).toEqual(['FROZEN', 'FROZEN']);
    await mine(2);
    expect(await findingOf(next)).toEqual(found({ state: 'FROZEN', expiry: LATER }));
  });

  it('revokes several tokens one after the other, the active one first', async () => {
    const step = await aChange('revoke', 'freeze');
    await mintAnother(step, EXPIRY);
    await mine(3);
    expect(await findingOf(step)).toMatchObject({ type: 'ready', expectedOnChain: { state: 'FROZEN' } });
    const { block } = await flown(step);
    expect((await tokensOf(step)).map(({ state }) => state)).toEqual(['FROZEN', 'REVOKED']);
    const next: Step = { ...step, id: `${step.id}2`, known: { state: 'ACTIVE', asOf: block } };
    expect(await findingOf(next)).toMatchObject({ type: 'ready', expectedOnChain: { state: 'REVOKED' } });
    await flown(next);
    expect((await tokensOf(step)).map(({ state }) => state)).toEqual(['REVOKED', 'REVOKED']);
  });

  it('unfreezes one of several frozen tokens, and the pass is active', async () => {
    const step = await aChange('unfreeze', 'freeze');
    await mintAnother(step, LATER);
    await byOthers(step, 'freeze');
    await mine(3);
    expect(await findingOf(step)).toMatchObject({ type: 'ready', expectedOnChain: { state: 'ACTIVE', expiry: LATER } });
    await flown(step);
    expect((await tokensOf(step)).map(({ state }) => state)).toEqual(['FROZEN', 'ACTIVE']);
    await mine(2);
    expect(await findingOf(step)).toEqual(found({ state: 'ACTIVE', expiry: LATER }));
  });

  it('freezes a token whose mint is final before the mint of another token is final', async () => {
    const step = await aChange('freeze');
    await mintAnother(step, EXPIRY - 1);
    expect(await findingOf(step)).toMatchObject({
      type: 'ready',
      expectedOnChain: { state: 'ACTIVE', expiry: EXPIRY - 1 },
    });
    await flown(step);
    await mine(2);
    expect(await findingOf(step)).toMatchObject({ type: 'ready', expectedOnChain: { state: 'FROZEN' } });
    expect(await tokenIdsOf(step)).toHaveLength(2);
  });
});

describe('a transaction in a block on Ethereum', () => {
  it.each`
    kind            | taken                                     | why
    ${'freeze'}     | ${{ kind: 'unfreeze' }}                   | ${'it tells of another change'}
    ${'revoke'}     | ${{ kind: 'freeze' }}                     | ${'it tells of another change'}
    ${'set-expiry'} | ${{ kind: 'revoke' }}                     | ${'it tells of another change'}
    ${'set-expiry'} | ${{ kind: 'set-expiry', expiry: EXPIRY }} | ${'it tells of another expiry'}
    ${'freeze'}     | ${{ contract: CIVIC_CONTRACT }}           | ${'it tells of another contract'}
  `('once final, a $kind transaction is without effect for $taken, because $why', async ({ kind, taken }) => {
    const step = await aChange(kind);
    const sent = await signed(step);
    await broadcastAll(chain, [sent]);
    await mine();
    const another = { ...step, ...taken };
    expect(await sightingOf(another, sent)).toEqual({ type: 'unconfirmed' });
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
    await mine(2);
    expect(await sightingOf(another, sent)).toEqual({ type: 'without-effect', identifier: sent.identifier });
  });

  it.each(['freeze', 'set-expiry'] as const)('%s is without effect after a freeze by somebody else', async (kind) => {
    const step = await aChange(kind);
    const sent = await signed(step, 1);
    await byOthers(step, 'freeze');
    expect(await broadcastAll(chain, [sent])).toEqual([{ type: 'accepted' }]);
    await mine();
    expect(await eventsOf(sent)).toEqual([]);
    expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
    await mine();
    expect(await sightingOf(step, sent)).toEqual({ type: 'unconfirmed' });
    await mine();
    expect(await sightingOf(step, sent)).toEqual({ type: 'without-effect', identifier: sent.identifier });
    expect(await findingOf(step)).toEqual(found({ state: 'FROZEN', expiry: EXPIRY }));
  });
});

describe('a step on Ethereum that knows a newer block than the node', () => {
  it.each(KINDS)('%s waits while the node is behind the block that the pass knows', async (kind) => {
    const step = await aChange(kind, ...(kind === 'unfreeze' ? (['freeze'] as const) : []));
    const head = await headNumber();
    expect(await findingOf({ ...step, known: { state: 'ACTIVE', asOf: head + 1 } })).toEqual(BEHIND);
    expect(await findingOf({ ...step, known: { state: 'ACTIVE', asOf: head } })).toMatchObject({ type: 'ready' });
  });

  it('finds the wanted state only in a final block that is as new as the block that the pass knows', async () => {
    const step: Step = {
      ...(await aChange('freeze', 'freeze')),
      known: { state: 'FROZEN', asOf: (await headNumber()) + 1 },
    };
    expect(await findingOf(step)).toEqual(BEHIND);
    await mine();
    expect(await findingOf(step)).toEqual(NOT_FINAL);
    await mine(2);
    expect(await findingOf(step)).toEqual(found({ state: 'FROZEN', expiry: EXPIRY }));
  });
});
