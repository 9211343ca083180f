import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OnChain } from '../../../../src/pass/pass.ts';
import type { Step, StepKind } from '../../../../src/pass/step.ts';
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
import { aStep, byGatekeeper, mine, node } from './node.ts';

/** Changes of tokens on the real contract. Blocks are made by hand: what is final is for the test to say. */

beforeAll(() => node('evm_setIntervalMining', 0));
afterAll(() => node('evm_setIntervalMining', 1));

const EXPIRY = 2_000_000_000;
const LATER = 2_100_000_000;
const KINDS = ['freeze', 'unfreeze', 'set-expiry', 'revoke'] as const;

/** The change of a pass whose token was issued for good, after what others did to it. */
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

const headNumber = async () => Number(await node<string>('eth_blockNumber'));
const found = (onChain: OnChain) => ({ type: 'found', onChain: { ...onChain, asOf: expect.any(Number) } });
const NOT_FINAL = { type: 'not-now', why: 'what the chain shows is not final', keeps: 'step' };
const BEHIND = { type: 'not-now', why: 'the node is behind what is known of the pass', keeps: 'step' };

describe('from look to final', () => {
  it.each`
    kind            | before        | event           | state        | expiry
    ${'freeze'}     | ${[]}         | ${'Freeze'}     | ${'FROZEN'}  | ${EXPIRY}
    ${'unfreeze'}   | ${['freeze']} | ${'Unfreeze'}   | ${'ACTIVE'}  | ${EXPIRY}
    ${'set-expiry'} | ${[]}         | ${'Expiration'} | ${'ACTIVE'}  | ${LATER}
    ${'revoke'}     | ${[]}         | ${'Revoke'}     | ${'REVOKED'} | ${EXPIRY}
    ${'revoke'}     | ${['freeze']} | ${'Revoke'}     | ${'REVOKED'} | ${EXPIRY}
  `('$kind after $before ends in $state, proven by $event', async ({ kind, before, event, state, expiry }) => {
    const step = await aChange(kind, ...before);
    expect(await findingOf(step)).toMatchObject({ type: 'ready', leaves: { state, expiry } });
    const sent = await signed(step);
    expect(await chain.broadcast([sent])).toEqual([{ type: 'accepted' }]);
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
    expect(await sightingOf(step, sent, sighting.includedIn)).toEqual({ type: 'final' });
    expect(await findingOf(step)).toEqual(found({ state, expiry }));
  });

  it('an expiry is cleared', async () => {
    const step = { ...(await aChange('set-expiry')), expiry: undefined };
    expect(await findingOf(step)).toMatchObject({ type: 'ready', leaves: { state: 'ACTIVE', expiry: undefined } });
    await flown(step);
    expect(await tokensOf(step)).toEqual([{ state: 'ACTIVE', expiry: 0 }]);
  });
});

it.each(KINDS)('a token whose mint is not final is left alone: %s', async (kind) => {
  const issuance = aStep();
  await flown(issuance);
  const step: Step = { ...issuance, kind, expiry: kind === 'set-expiry' ? LATER : undefined };
  if (kind === 'unfreeze') await byGatekeeper(tokenData('freeze', await tokenIdOf(step)));
  expect(await findingOf(step)).toEqual(NOT_FINAL);
  await mine(2);
  expect(await findingOf(step)).toMatchObject({ type: 'ready' });
});

describe('what somebody else did to the token', () => {
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
  `('is found as it is when final: $deed before $kind', async ({ kind, before, deed, state }) => {
    const step = await aChange(kind, ...before);
    await byOthers(step, deed);
    expect(await findingOf(step)).toEqual(NOT_FINAL);
    await mine(2);
    expect(await findingOf(step)).toEqual(found(state === 'NONE' ? { state } : { state, expiry: EXPIRY }));
  });

  it('is found when it is the very expiry that is wanted', async () => {
    const step = await aChange('set-expiry');
    await byGatekeeper(expirationData(await tokenIdOf(step), LATER));
    expect(await findingOf(step)).toEqual(NOT_FINAL);
    await mine(2);
    expect(await findingOf(step)).toEqual(found({ state: 'ACTIVE', expiry: LATER }));
  });
});

describe('several tokens of one wallet', () => {
  it('are frozen one after the other, the one that lives longest first', async () => {
    const step = await aChange('freeze');
    await mintAnother(step, LATER);
    await mine(3);
    expect(await findingOf(step)).toMatchObject({ type: 'ready', leaves: { state: 'ACTIVE', expiry: EXPIRY } });
    const { block } = await flown(step);
    expect((await tokensOf(step)).map(({ state }) => state)).toEqual(['ACTIVE', 'FROZEN']);
    const next: Step = { ...step, id: `${step.id}2`, known: { state: 'ACTIVE', asOf: block } };
    expect(await findingOf(next)).toMatchObject({ type: 'ready', leaves: { state: 'FROZEN', expiry: LATER } });
    await flown(next);
    expect((await tokensOf(step)).map(({ state }) => state)).toEqual(['FROZEN', 'FROZEN']);
    await mine(2);
    expect(await findingOf(next)).toEqual(found({ state: 'FROZEN', expiry: LATER }));
  });

  it('are revoked one after the other, the active one first', async () => {
    const step = await aChange('revoke', 'freeze');
    await mintAnother(step, EXPIRY);
    await mine(3);
    expect(await findingOf(step)).toMatchObject({ type: 'ready', leaves: { state: 'FROZEN' } });
    const { block } = await flown(step);
    expect((await tokensOf(step)).map(({ state }) => state)).toEqual(['FROZEN', 'REVOKED']);
    const next: Step = { ...step, id: `${step.id}2`, known: { state: 'ACTIVE', asOf: block } };
    expect(await findingOf(next)).toMatchObject({ type: 'ready', leaves: { state: 'REVOKED' } });
    await flown(next);
    expect((await tokensOf(step)).map(({ state }) => state)).toEqual(['REVOKED', 'REVOKED']);
  });

  it('are unfrozen when one of them is', async () => {
    const step = await aChange('unfreeze', 'freeze');
    await mintAnother(step, LATER);
    await byOthers(step, 'freeze');
    await mine(3);
    expect(await findingOf(step)).toMatchObject({ type: 'ready', leaves: { state: 'ACTIVE', expiry: LATER } });
    await flown(step);
    expect((await tokensOf(step)).map(({ state }) => state)).toEqual(['FROZEN', 'ACTIVE']);
    await mine(2);
    expect(await findingOf(step)).toEqual(found({ state: 'ACTIVE', expiry: LATER }));
  });

  it('go on with those whose mint is final: a new one waits', async () => {
    const step = await aChange('freeze');
    await mintAnother(step, EXPIRY - 1);
    expect(await findingOf(step)).toMatchObject({ type: 'ready', leaves: { state: 'ACTIVE', expiry: EXPIRY - 1 } });
    await flown(step);
    await mine(2);
    expect(await findingOf(step)).toMatchObject({ type: 'ready', leaves: { state: 'FROZEN' } });
    expect(await tokenIdsOf(step)).toHaveLength(2);
  });
});

describe('a transaction in a block', () => {
  it.each`
    kind            | taken                                     | why
    ${'freeze'}     | ${{ kind: 'unfreeze' }}                   | ${'it tells of another change'}
    ${'revoke'}     | ${{ kind: 'freeze' }}                     | ${'it tells of another change'}
    ${'set-expiry'} | ${{ kind: 'revoke' }}                     | ${'it tells of another change'}
    ${'set-expiry'} | ${{ kind: 'set-expiry', expiry: EXPIRY }} | ${'it tells of another expiry'}
  `('of $kind is without effect for $taken, when it is final: $why', async ({ kind, taken }) => {
    const step = await aChange(kind);
    const sent = await signed(step);
    await chain.broadcast([sent]);
    await mine();
    const another = { ...step, ...taken };
    expect(await sightingOf(another, sent)).toEqual({ type: 'unconfirmed' });
    expect(await sightingOf(step, sent)).toMatchObject({ type: 'confirmed' });
    await mine(2);
    expect(await sightingOf(another, sent)).toEqual({ type: 'without-effect', identifier: sent.identifier });
  });

  it.each(['freeze', 'set-expiry'] as const)('is without effect when somebody froze before it: %s', async (kind) => {
    const step = await aChange(kind);
    const sent = await signed(step, 1);
    await byOthers(step, 'freeze');
    expect(await chain.broadcast([sent])).toEqual([{ type: 'accepted' }]);
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

describe('a step that knows of a newer block', () => {
  it.each(KINDS)('than the node has is not decided: %s', async (kind) => {
    const step = await aChange(kind, ...(kind === 'unfreeze' ? (['freeze'] as const) : []));
    const head = await headNumber();
    expect(await findingOf({ ...step, known: { state: 'ACTIVE', asOf: head + 1 } })).toEqual(BEHIND);
    expect(await findingOf({ ...step, known: { state: 'ACTIVE', asOf: head } })).toMatchObject({ type: 'ready' });
  });

  it('than is final finds nothing that no transaction of ours brought about', async () => {
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
