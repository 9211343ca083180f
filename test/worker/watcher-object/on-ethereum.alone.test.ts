import { runInDurableObject } from 'cloudflare:test';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PassKey } from '../../../src/pass/pass.ts';
import { openStore } from '../../../src/store/store.ts';
import { eventually } from '../../eventually.ts';
import { aStep, callSepolia, makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { mintAsOther } from '../chain/ethereum/others.ts';
import { aRequestedPass, bindings, deliver, objectOf, processPass, recordOf } from '../consumer/deliver.ts';
import { partner } from '../http/api.ts';
import { SECOND, second } from '../setup/second-database.ts';
import { holdAlarms } from '../without-alarms.ts';
import { coverageOf, hurry, nodeOf, TestWatcher, validityOf } from './a-watcher.ts';
import { anActivePass, anOtherGatekeeper, burnedByOther, changedByOther, mintedByOther } from './others.ts';
import { holdReconciliation } from './unread-transactions.ts';

/** Changes by another gatekeeper on the real node. The test makes the blocks and runs the intervals. */

const LATER = 1_900_000_000;
makeBlocksByHand();
beforeAll(async () => {
  await partner('acme');
  await anOtherGatekeeper();
});
afterEach(() => mine(4));
afterAll(() => void vi.restoreAllMocks());

/** Number of changes that hold the coverage back. */
const undecided = (watcher: TestWatcher) =>
  runInDurableObject(watcher.object, (_, { storage }) => {
    const query = 'SELECT count(*) AS n FROM foreign_change WHERE is_observed <> 1';
    return storage.sql.exec<{ n: number }>(query).one().n;
  });
const newest = async (key: PassKey) => (await recordOf(key))?.events.at(-1);

describe('a change by another gatekeeper', () => {
  it('freezes a pass: at once in public checks, and in the record when it is final', async () => {
    const key = await anActivePass();
    const watcher = await TestWatcher.begin();
    const { transaction } = await changedByOther(key, 'freeze');
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', isPending: true });
    expect(await recordOf(key)).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
    expect(await watcher.status()).toMatchObject({ waiting: 1, foreignChanges: 0 });
    await mine(2);
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'FROZEN', isPending: false });
    expect(await recordOf(key)).toMatchObject({ state: 'FROZEN', onChainState: 'FROZEN' });
    expect(await newest(key)).toMatchObject({
      eventType: 'TOKEN_FROZEN',
      transaction: { identifier: transaction, status: 'confirmed' },
      byOthers: { gatekeeper: expect.stringMatching(/^0x/) },
    });
    expect(await watcher.status()).toMatchObject({ waiting: 0, foreignChanges: 1, why: null });
    expect(await coverageOf(key)).toBe((await watcher.status()).coveredUntil);
  });

  it('is covered only once its pass is published, if the pass was issued while its gatekeeper network moved', async () => {
    const watcher = await TestWatcher.begin();
    const { gatekeeperNetwork } = aStep().key;
    const move = (cancel = false) => openStore(bindings).moveNetwork({ gatekeeperNetwork, to: SECOND, cancel }, 0);
    await move();
    const key = await aRequestedPass();
    const shown = async () => (await objectOf(key).readPublication())?.validity.onChainState;
    await deliver(processPass(key));
    await mine();
    await eventually(async () => {
      await deliver(processPass(key));
      expect(await shown()).toBe('ACTIVE');
    }, 20);
    await changedByOther(key, 'freeze');
    await mine(4);
    await watcher.interval(3);
    expect([await shown(), await recordOf(key), await undecided(watcher)]).toEqual(['FROZEN', undefined, 1]);
    expect(await move(true)).toMatchObject({ phase: 'canceled' });
    // The move has ended, and the alarm of the pass has not published it yet.
    await hurry(watcher);
    await watcher.interval();
    expect(await recordOf(key)).toMatchObject({ state: 'FROZEN' });
    expect(await watcher.status()).toMatchObject({ waiting: 0 });
    for (const db of [bindings.DB, second]) await db.exec('DELETE FROM moves');
  });

  it.each([
    ['burns', burnedByOther],
    ['revokes', (key: PassKey) => changedByOther(key, 'revoke')],
  ])('is undecided until the outcome of the issuance is recorded, if it %s the token before', async (_, change) => {
    const releaseAlarms = holdAlarms();
    const watcher = await TestWatcher.begin();
    const key = await aRequestedPass();
    await deliver(processPass(key));
    await mine();
    await change(key);
    await mine(4);
    await watcher.interval(3);
    expect(await recordOf(key)).toMatchObject({ state: 'REQUESTED', onChainState: 'NONE' });
    // Nothing after it is covered.
    expect(await undecided(watcher)).toBe(1);
    releaseAlarms();
    await eventually(async () => {
      await deliver(processPass(key));
      await hurry(watcher);
      await watcher.interval();
      expect(await recordOf(key)).toMatchObject({ state: 'REVOKED' });
    });
    await mine(2);
    await watcher.interval(2);
    expect(await watcher.status()).toMatchObject({ waiting: 0 });
  });

  it('before the first scan of a late watch is found by the reconciliation, and nothing covers it before', async () => {
    const key = await anActivePass();
    await changedByOther(key, 'revoke');
    await mine(2);
    const passesSince = (Math.floor(Date.now() / 1000) - 60) * 1000;
    const urls = [nodeOf('sepolia')];
    const watcher = await TestWatcher.begin({ passesSince, urls });
    const reconcile = await holdReconciliation(watcher, urls);
    await mine(4);
    await watcher.interval(3);
    expect(await watcher.status()).toMatchObject({ unservedGaps: 1, coveredUntil: passesSince / 1000 });
    expect(await coverageOf(key)).toBe(passesSince / 1000);
    await reconcile();
    await watcher.interval(2);
    expect(await validityOf(key)).toMatchObject({ onChainState: 'REVOKED' });
    expect(await watcher.status()).toMatchObject({ unservedGaps: 0 });
    expect(await coverageOf(key)).toBeGreaterThan(passesSince / 1000);
    expect(await newest(key)).toMatchObject({ eventType: 'TOKEN_REVOKED' });
  });

  it('unfreezes a pass only when that is final', async () => {
    const key = await anActivePass();
    const watcher = await TestWatcher.begin();
    await changedByOther(key, 'freeze');
    await mine(2);
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'FROZEN' });
    await changedByOther(key, 'unfreeze');
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'FROZEN', isPending: false });
    await mine(2);
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', isPending: false });
    expect(await newest(key)).toMatchObject({ eventType: 'TOKEN_UNFROZEN', byOthers: {} });
  });

  it('revokes a pass', async () => {
    const key = await anActivePass();
    const watcher = await TestWatcher.begin();
    await changedByOther(key, 'revoke');
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', isPending: true });
    await mine(2);
    await watcher.interval();
    expect(await recordOf(key)).toMatchObject({ state: 'REVOKED', onChainState: 'REVOKED' });
    expect(await newest(key)).toMatchObject({ eventType: 'TOKEN_REVOKED', byOthers: {} });
  });

  it('gives a pass another expiry', async () => {
    const key = await anActivePass();
    const watcher = await TestWatcher.begin();
    await changedByOther(key, 'set-expiry', LATER);
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ isPending: true });
    await mine(2);
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ until: LATER, isPending: false });
    expect(await newest(key)).toMatchObject({ eventType: 'TOKEN_EXPIRY_CHANGED', byOthers: {} });
  });

  it('burns the token of a pass, and mints another one', async () => {
    const key = await anActivePass();
    const watcher = await TestWatcher.begin();
    await burnedByOther(key);
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', isPending: true });
    await mine(2);
    await watcher.interval();
    expect(await recordOf(key)).toMatchObject({ state: 'REVOKED', onChainState: 'NONE' });
    await mintedByOther(key, LATER);
    await watcher.interval();
    expect(await recordOf(key)).toMatchObject({ onChainState: 'NONE' });
    await mine(2);
    await watcher.interval();
    expect(await recordOf(key)).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
    expect(await newest(key)).toMatchObject({ eventType: 'TOKEN_ISSUED', byOthers: {} });
    expect(await watcher.status()).toMatchObject({ waiting: 0, foreignChanges: 2, issuedByOthers: [] });
  });

  it('creates no pass, but is counted, if it issues a token to a wallet without one', async () => {
    const watcher = await TestWatcher.begin();
    const step = aStep();
    await mintAsOther(step);
    await mintAsOther(aStep());
    await watcher.interval();
    expect(await recordOf(step.key)).toBeUndefined();
    const { gatekeeperNetwork } = step.key;
    expect(await watcher.status()).toMatchObject({
      waiting: 0,
      foreignChanges: 0,
      issuedByOthers: [{ gatekeeperNetwork, gatekeeper: expect.stringMatching(/^0x/), tokens: 2 }],
    });
  });

  it('takes a noted loss back if its block leaves the chain', async () => {
    const key = await anActivePass();
    const watcher = await TestWatcher.begin();
    await changedByOther(key, 'revoke');
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ isPending: true });
    await callSepolia('anvil_reorg', 1, []);
    await callSepolia('anvil_dropAllTransactions');
    await mine();
    await watcher.interval(2);
    expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', isPending: false });
    expect(await recordOf(key)).toMatchObject({ state: 'ACTIVE' });
    expect(await watcher.status()).toMatchObject({ waiting: 0, foreignChanges: 0 });
  });
});
