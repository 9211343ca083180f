import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PassKey } from '../../../src/pass/pass.ts';
import { altering } from '../chain/altered-nodes.ts';
import { issueAnother } from '../chain/solana/issuing.ts';
import {
  anotherKey,
  aStep,
  callDevnet,
  claimVersion,
  expireAsOwner,
  makeSlotsByHand,
  untilConfirmed,
  untilFinal,
} from '../chain/solana/node.ts';
import { recordOf } from '../consumer/deliver.ts';
import { partner } from '../http/api.ts';
import { hurry, TestWatcher, validityOf } from './a-watcher.ts';
import { anActivePass, BURN, changedByOther, FREEZE, REVOKE, stepOf, UNFREEZE } from './others-on-solana.ts';
import {
  hidingNull,
  holdReconciliation,
  shownAsFailed,
  unknownInstruction,
  withTransactions,
} from './unread-transactions.ts';

/** Changes on the localnet's Solana node by somebody else with the same key. The test runs the intervals. */

makeSlotsByHand();

await partner('acme');

const begin = () => TestWatcher.begin({ network: 'devnet' });
const newest = async (key: PassKey) => (await recordOf(key))?.events.at(-1);

describe('a change by others on Solana', () => {
  it.each`
    deed        | state     | onChainState | event
    ${'freeze'} | ${FREEZE} | ${'FROZEN'}  | ${'TOKEN_FROZEN'}
    ${'revoke'} | ${REVOKE} | ${'REVOKED'} | ${'TOKEN_REVOKED'}
    ${'burn'}   | ${BURN}   | ${'NONE'}    | ${'TOKEN_REVOKED'}
  `('$deed refuses the wallet at once, and is recorded when it is final', async ({ state, onChainState, event }) => {
    const key = await anActivePass();
    const watcher = await begin();
    await changedByOther(key, state);
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', isPending: true });
    await untilFinal();
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState, isPending: false });
    expect(await newest(key)).toMatchObject({
      eventType: event,
      transaction: { identifier: expect.any(String) },
      byOthers: { gatekeeper: expect.any(String) },
    });
    expect(await watcher.status()).toMatchObject({ waiting: 0, foreignChanges: 1, why: null });
  });

  it('an unfreeze and a new token count only when they are final', async () => {
    const key = await anActivePass();
    const watcher = await begin();
    await changedByOther(key, FREEZE);
    await untilFinal();
    await watcher.interval();
    await changedByOther(key, UNFREEZE);
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'FROZEN' });
    await untilFinal();
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE' });
    await changedByOther(key, BURN);
    await issueAnother(stepOf(key), 0, 1_900_000_000);
    await untilFinal();
    await watcher.interval(2);
    expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', until: 1_900_000_000, isPending: false });
    expect(await watcher.status()).toMatchObject({ waiting: 0 });
  });

  it('creates no pass, but is counted, if it issues a token to a wallet without one', async () => {
    const watcher = await begin();
    const step = aStep();
    await issueAnother(step, 0);
    await watcher.interval();
    const { gatekeeperNetwork } = step.key;
    const tokens = (await watcher.status()).issuedByOthers;
    expect(tokens).toMatchObject([{ gatekeeperNetwork, gatekeeper: expect.any(String), tokens: 1 }]);
  });

  it('by the service itself costs no reading', async () => {
    const watcher = await begin();
    await anActivePass();
    await watcher.interval(2);
    expect(await watcher.status()).toMatchObject({ waiting: 0, foreignChanges: 0, issuedByOthers: [] });
  });
});

describe('a transaction by others', () => {
  it('of version 1 is seen like any other', async () => {
    const key = await anActivePass();
    const watcher = await begin();
    const transaction = await changedByOther(key, REVOKE, 1);
    const asked = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
    await expect(callDevnet('getTransaction', transaction, asked)).rejects.toThrow('version (1) is not supported');
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', isPending: true });
    await untilFinal();
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'REVOKED', isPending: false });
    expect(await watcher.status()).toMatchObject({ waiting: 0, gaps: 0, foreignChanges: 1 });
  });

  it('in which the owner expires the token after one use is seen', async () => {
    const owner = await anotherKey();
    const key = await anActivePass(owner.gatekeeper.address);
    const watcher = await begin();
    await expireAsOwner(stepOf(key), owner);
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ until: null, isPending: true });
    await untilFinal();
    await watcher.interval();
    const { until, isPending } = (await validityOf(key)) ?? {};
    expect({ isExpired: (until ?? Number.POSITIVE_INFINITY) < Date.now() / 1000, isPending }).toEqual({
      isExpired: true,
      isPending: false,
    });
    expect(await newest(key)).toMatchObject({ eventType: 'TOKEN_EXPIRY_CHANGED', byOthers: {} });
    expect(await watcher.status()).toMatchObject({ waiting: 0, gaps: 0, foreignChanges: 1 });
  });
});

describe('a transaction by others that cannot be read', () => {
  const logged: string[] = [];
  beforeEach(() => {
    logged.length = 0;
    vi.spyOn(console, 'log').mockImplementation(() => {});
    vi.spyOn(console, 'error').mockImplementation((line) => void logged.push(String(line)));
  });
  afterEach(() => void vi.restoreAllMocks());

  it.each([
    ['has a higher version', undefined, /getTransaction: Transaction version \(2\) is not supported/],
    ['has an unknown instruction', unknownInstruction, /instruction 9 of the program is unknown/],
    ['is listed and shown as null', hidingNull, /getTransaction shows nothing/],
  ])('because it %s is left to the reconciliation, and nothing covers it before', async (_, alter, why) => {
    const key = await anActivePass();
    const { urls, altered } = withTransactions();
    const watcher = await TestWatcher.begin({ network: 'devnet', urls });
    const reconcile = await holdReconciliation(watcher, urls);
    const transaction = await changedByOther(key, REVOKE);
    if (alter === undefined) await claimVersion(transaction, 2);
    else altered.set(transaction, alter);
    const { blockTime } = await callDevnet<{ blockTime: number }>('getTransaction', transaction, {
      commitment: 'confirmed',
      maxSupportedTransactionVersion: 255,
    });
    await watcher.interval();
    await untilFinal();
    await hurry(watcher);
    await watcher.interval();
    expect(await watcher.status()).toMatchObject({ waiting: 0, unservedGaps: 1 });
    expect(logged.filter((line) => line.includes('watcher.gap_unserved'))).toMatchObject([expect.stringMatching(why)]);
    // The chain has whole seconds.
    await scheduler.wait(2_100);
    await untilConfirmed();
    await watcher.interval(2);
    expect((await watcher.status()).coveredUntil).toBeLessThanOrEqual(blockTime);

    await reconcile();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'REVOKED', isPending: false });
    await watcher.interval(2);
    expect((await watcher.status()).coveredUntil).toBeGreaterThan(blockTime);
  });

  it.each([
    ['lacks it', hidingNull],
    ['shows that it failed', shownAsFailed],
  ])('because one endpoint %s and the other does not answer becomes a gap', async (_, alter) => {
    const key = await anActivePass();
    const denying = withTransactions(
      altering('getSignatureStatuses', ({ value, ...rest }) => ({ ...rest, value: value.map(() => null) })),
    );
    const away = withTransactions({
      refuse: (calls) =>
        calls.some(({ method }) => method === 'getTransaction') ? new Response('', { status: 503 }) : undefined,
    });
    const watcher = await TestWatcher.begin({ network: 'devnet', urls: [...denying.urls, ...away.urls] });
    const transaction = await changedByOther(key, REVOKE);
    denying.altered.set(transaction, alter);
    await watcher.interval();
    await untilFinal();
    for (let look = 0; look < 4; look += 1) {
      await hurry(watcher);
      await watcher.interval();
    }
    expect(await watcher.status()).toMatchObject({ waiting: 0, unservedGaps: 1 });
    expect(logged.filter((line) => line.includes('watcher.gap_unserved'))).toMatchObject([
      expect.stringMatching(/no second endpoint/),
    ]);
  });
});
