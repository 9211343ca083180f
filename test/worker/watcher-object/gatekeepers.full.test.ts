import { runInDurableObject } from 'cloudflare:test';
import type { Hex } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { isValid } from '../../../src/pass/verdict.ts';
import { eventually } from '../../eventually.ts';
import { aStep, callSepolia, makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { mintAsOther, setFeatures, setGatekeeper } from '../chain/ethereum/others.ts';
import { bindings, recordOf } from '../consumer/deliver.ts';
import { aNight } from '../consumer/reconciliation-night.ts';
import { partner } from '../http/api.ts';
import { coverageOf, TestWatcher, validityOf, variablesFor } from './a-watcher.ts';
import { ANOTHER_KEY, configureKeys, NO_KEY, restoreSigner } from './other-keys.ts';
import { anActivePass, anOtherGatekeeper, burnedByOther, changedByOther, passTime, stepOf } from './others.ts';
import { aPartnerIn, DEFAULT, ownGatekeeper, verdicts } from './strangers.ts';

/** Gatekeepers whose key has left the configuration, and tokens that become void without a log. The test makes the blocks. */

makeBlocksByHand();
beforeAll(async () => {
  await partner('acme');
  await anOtherGatekeeper();
});
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(async () => {
  vi.restoreAllMocks();
  await mine(4);
});

const admits = async (key: Awaited<ReturnType<typeof anActivePass>>) =>
  isValid((await validityOf(key)) as never, Date.now() / 1000);

describe('tokens that become void without a log', () => {
  /** Intervals after the time at which the gatekeepers are checked again. */
  async function checkAgain(watcher: TestWatcher): Promise<void> {
    await mine(3);
    await runInDurableObject(watcher.object, (_, { storage }) => storage.kv.delete('rechecked-at'));
    await watcher.interval(2);
  }

  it('are refused within the next check: the removal first, then the feature, then neither', async () => {
    const partner = await aPartnerIn(DEFAULT);
    const watcher = await TestWatcher.begin();
    await partner.byAuthority('removeGatekeeper', ownGatekeeper(), partner.slot);
    await checkAgain(watcher);
    expect(await verdicts(partner)).toEqual({ contract: true, check: true });
    await partner.byAuthority('setNetworkFeatures', partner.slot, 1n);
    await checkAgain(watcher);
    expect(await verdicts(partner)).toEqual({ contract: false, check: false });
    expect((await watcher.status()).removedGatekeepers).toHaveLength(1);
    await partner.byAuthority('setNetworkFeatures', partner.slot, 0n);
    await checkAgain(watcher);
    expect(await verdicts(partner)).toEqual({ contract: true, check: true });
    expect((await watcher.status()).removedGatekeepers).toEqual([]);
  });

  it('are refused by a watcher that has lost its store, and after D1 has lost the row', async () => {
    const partner = await aPartnerIn(DEFAULT);
    await partner.byAuthority('removeGatekeeper', ownGatekeeper(), partner.slot);
    await partner.byAuthority('setNetworkFeatures', partner.slot, 1n);
    await mine(3);
    const watcher = await TestWatcher.begin();
    await checkAgain(watcher);
    expect(await verdicts(partner)).toEqual({ contract: false, check: false });
    await bindings.DB.prepare('DELETE FROM removed_gatekeepers').run();
    await checkAgain(watcher);
    expect(await verdicts(partner)).toEqual({ contract: false, check: false });
  });

  it('are those of an unknown gatekeeper too', async () => {
    const key = await anActivePass();
    const step = stepOf(key);
    const watcher = await TestWatcher.begin();
    // Another gatekeeper has replaced the token, so nobody knows the gatekeeper of the pass.
    await burnedByOther(key);
    await mine(3);
    await watcher.interval(2);
    await mintAsOther(step);
    await mine(3);
    await watcher.interval(2);
    expect(await admits(key)).toBe(true);
    const [, , other] = await callSepolia<Hex[]>('eth_accounts');
    await setGatekeeper(step, other as Hex, false);
    await checkAgain(watcher);
    expect(await admits(key)).toBe(true);
    await setFeatures(step, 1n);
    try {
      await eventually(() => checkAgain(watcher));
      expect(await admits(key)).toBe(false);
    } finally {
      await setGatekeeper(aStep(), other as Hex, true);
      await setFeatures(aStep(), 0n);
      await checkAgain(watcher);
    }
    expect(await admits(key)).toBe(true);
  });
});

describe('after the key of a pass has left the configuration', () => {
  it.each([
    ['revocation', (key: Parameters<typeof changedByOther>[0]) => changedByOther(key, 'revoke'), 'REVOKED'],
    ['freeze', (key: Parameters<typeof changedByOther>[0]) => changedByOther(key, 'freeze'), 'FROZEN'],
    ['burn', burnedByOther, 'NONE'],
  ] as const)('another key of the network reads a %s by others', async (_, change, state) => {
    const key = await anActivePass();
    const watcher = await TestWatcher.begin();
    await configureKeys(watcher, ANOTHER_KEY);
    await passTime();
    await change(key);
    await mine();
    await watcher.interval(2);
    expect(await admits(key)).toBe(false);
    await mine(6);
    await watcher.interval(2);
    expect(await recordOf(key)).toMatchObject({ onChainState: state });
    expect(await watcher.status()).toMatchObject({ waiting: 0, unservedGaps: 0 });
    await restoreSigner();
  });

  it('the reconciliation reads it too, and a gap closes', async () => {
    const key = await anActivePass();
    const watcher = await TestWatcher.begin();
    await configureKeys(watcher, ANOTHER_KEY);
    await changedByOther(key, 'revoke');
    await mine(6);
    const { counts } = await aNight({ ...variablesFor(), ...ANOTHER_KEY } as Partial<Env>);
    expect(await recordOf(key)).toMatchObject({ onChainState: 'REVOKED' });
    expect(counts).not.toHaveProperty('signer-not-configured');
    await restoreSigner();
  });

  it('a change is never covered unread, if no key of the network is left', async () => {
    const key = await anActivePass();
    const watcher = await TestWatcher.begin();
    await configureKeys(watcher, NO_KEY);
    await passTime();
    await changedByOther(key, 'revoke');
    await passTime();
    await mine(6);
    const covered = await coverageOf(key);
    await watcher.interval(4);
    expect(await admits(key)).toBe(true);
    expect(await watcher.status()).toMatchObject({ waiting: 1 });
    expect(await coverageOf(key)).toBeLessThanOrEqual((covered ?? 0) + 1);
  });
});
