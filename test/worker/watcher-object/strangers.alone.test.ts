import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CIVIC_CONTRACT } from '../../default-contract.ts';
import { callSepolia, makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { configureObject } from '../configure-object.ts';
import { installSecondContract } from '../second-contract.ts';
import { TestWatcher, variablesFor } from './a-watcher.ts';
import { passTime } from './others.ts';
import { runWorlds } from './stranger-worlds.ts';
import { aPartnerIn, aStrangerIn, DEFAULT, ownGatekeeper, verdicts } from './strangers.ts';

/** Strangers share the contracts of partners, and decide nothing. The test makes the blocks and runs the intervals. */

makeBlocksByHand();
beforeAll(() => installSecondContract());
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(async () => {
  vi.restoreAllMocks();
  await mine(4);
});

describe('a stranger who creates the gatekeeper network of a partner in another contract', () => {
  it('neither voids its passes nor counts in its statistics', async () => {
    const partner = await aPartnerIn(CIVIC_CONTRACT);
    const watcher = await TestWatcher.begin();
    const stranger = await aStrangerIn(DEFAULT, partner.slot);
    await stranger.call('setNetworkFeatures', partner.slot, 1n);
    await stranger.call('addGatekeeper', ownGatekeeper(), partner.slot);
    await stranger.call('removeGatekeeper', ownGatekeeper(), partner.slot);
    await stranger.mint();
    await stranger.mint(partner.key.wallet);
    await mine(3);
    await watcher.interval(2);
    expect(await verdicts(partner)).toEqual({ contract: true, check: true });
    const { removedGatekeepers, issuedByOthers, waiting } = await watcher.status();
    expect({ removedGatekeepers, issuedByOthers, waiting }).toEqual({
      removedGatekeepers: [],
      issuedByOthers: [],
      waiting: 0,
    });
  });

  it('does not end the refusal of a gatekeeper that the partner has removed', async () => {
    const partner = await aPartnerIn(CIVIC_CONTRACT);
    const watcher = await TestWatcher.begin();
    await partner.byAuthority('setNetworkFeatures', partner.slot, 1n);
    await partner.byAuthority('removeGatekeeper', ownGatekeeper(), partner.slot);
    await mine(3);
    await watcher.interval(2);
    expect(await verdicts(partner)).toEqual({ contract: false, check: false });
    const stranger = await aStrangerIn(DEFAULT, partner.slot);
    await stranger.call('addGatekeeper', ownGatekeeper(), partner.slot);
    await mine(3);
    await watcher.interval(2);
    expect(await verdicts(partner)).toEqual({ contract: false, check: false });
  });
});

describe('a stranger in a gatekeeper network of its own', () => {
  it.each([
    ['with a number that a key has', undefined],
    ['with a number that no key has', 1_234_567n],
  ])('%s holds no partner back, whatever it does with its tokens', async (_, slot) => {
    await aPartnerIn(DEFAULT);
    const watcher = await TestWatcher.begin();
    const reconciliations: unknown[] = [];
    const queue = { send: async (body: unknown) => void reconciliations.push(body), sendBatch: async () => {} };
    await configureObject(watcher.object, { ...variablesFor(), PASS_QUEUE: queue });
    const stranger = await aStrangerIn(DEFAULT, slot);
    const old = await stranger.mint();
    await mine(3);
    await watcher.interval(3);
    // One token lives within an interval, and the other one is frozen in one interval and burned in another.
    const young = await stranger.mint();
    for (const token of [old, young]) await stranger.change('freeze', token);
    await stranger.call('burn', young);
    await watcher.interval();
    const frozen = await waitingTokens(watcher);
    await stranger.call('burn', old);
    await passTime();
    await mine(4);
    await watcher.interval(2);
    expect({ frozen, burned: await waitingTokens(watcher) }).toEqual({ frozen: [], burned: [] });
    const { timestamp } = await callSepolia<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
    const { unservedGaps, coveredUntil } = await watcher.status();
    const now = Math.floor(Date.now() / 1000);
    expect({ unservedGaps, reconciliations }).toEqual({ unservedGaps: 0, reconciliations: [] });
    expect(coveredUntil).toBeGreaterThanOrEqual(Math.min(Number(timestamp), now) - 2);
  });
});

it('public checks say what the contracts say in random worlds, and the coverage advances', { timeout: 120_000 }, () =>
  runWorlds(8),
);

const waitingTokens = (watcher: TestWatcher) =>
  runInDurableObject(watcher.object, (_, { storage }) =>
    storage.sql.exec<{ subject: string }>('SELECT subject FROM foreign_change').toArray(),
  );
