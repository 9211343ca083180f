import { runInDurableObject } from 'cloudflare:test';
import type { Hex } from 'viem';
import { afterAll, afterEach, beforeAll, expect, inject, it, vi } from 'vitest';
import { topicOf } from '../../../src/chain/ethereum/abi.ts';
import { changeData, mintData } from '../../../src/chain/ethereum/gateway.ts';
import { CIVIC_CONTRACT } from '../../default-contract.ts';
import { eventually } from '../../eventually.ts';
import { alteredNodes, altering, HONEST } from '../chain/altered-nodes.ts';
import { freshWallet, makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { accounts, sendAs } from '../chain/ethereum/others.ts';
import { installSecondContract } from '../second-contract.ts';
import { nodeOf, TestWatcher, validityOf } from './a-watcher.ts';
import { runWorlds } from './stranger-worlds.ts';
import { aPartnerIn, aStranger, aStrangerIn, DEFAULT, encode, inOneBlock, read, verdicts } from './strangers.ts';

/**
 * Any number of strangers beside partners, in the contract of the partner and in another one: public checks say what the contract says,
 * and `coveredUntil` advances. The test makes the blocks and runs the intervals.
 */

makeBlocksByHand();
beforeAll(async () => {
  await installSecondContract();
  // The list of contracts stays in memory for a minute.
  await aPartnerIn(CIVIC_CONTRACT);
  for (const method of ['log', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => {});
});
afterEach(() => mine(4));
afterAll(() => void vi.restoreAllMocks());

type Partner = Awaited<ReturnType<typeof aPartnerIn>>;

const perhaps = (change: Promise<unknown>) => change.catch(() => undefined);

/** Sends calls of a stranger into as few blocks as hold them. */
async function flood({ contract }: Partner, calls: readonly Hex[], gas: number): Promise<void> {
  const perBlock = Math.floor(25_000_000 / gas);
  for (let from = 0; from < calls.length; from += perBlock)
    await inOneBlock(await aStranger(), contract, calls.slice(from, from + perBlock), `0x${gas.toString(16)}`);
}

/** Mints tokens of a stranger. Returns their ids. */
async function manyTokens(partner: Partner, count: number): Promise<readonly bigint[]> {
  const stranger = await aStrangerIn(partner.contract);
  const first = (await stranger.mint()) + 1n;
  const mints = Array.from({ length: count }, () => mintData(freshWallet(), stranger.slot, undefined));
  await flood(partner, mints, 400_000);
  return Array.from({ length: count }, (_, index) => first + BigInt(index));
}

const dataOf = (kind: 'freeze' | 'unfreeze', tokens: readonly bigint[]) =>
  tokens.map((token) => changeData({ kind, expiry: undefined }, token));
const burnsOf = (tokens: readonly bigint[]) => tokens.map((token) => encode('burn', [token]));
const dueNow = (watcher: TestWatcher) =>
  runInDurableObject(
    watcher.object,
    (_, { storage }) => void storage.sql.exec('UPDATE foreign_change SET not_before = 0'),
  );

/** Another gatekeeper of the partner freezes the token of its pass. */
async function freezesPass({ key, slot, contract, byAuthority }: Partner): Promise<void> {
  const { other } = await accounts();
  await perhaps(byAuthority('addGatekeeper', other, slot));
  const ids = await read(contract, encode('getTokenIdsByOwnerAndNetwork', [key.wallet, slot, false]));
  await sendAs(other, contract, changeData({ kind: 'freeze', expiry: undefined }, BigInt(`0x${ids.slice(-64)}`)));
}

it('100 changes of strangers in each interval hold nobody back, and hide no change of a pass', {
  timeout: 600_000,
}, async () => {
  const partner = await aPartnerIn(DEFAULT);
  const tokens = await manyTokens(partner, 100);
  const watcher = await TestWatcher.begin();
  await watcher.interval(2);
  for (let interval = 0; interval < 6; interval += 1) {
    const begun = Math.floor(Date.now() / 1000);
    await flood(partner, dataOf(interval % 2 === 0 ? 'freeze' : 'unfreeze', tokens), 120_000);
    if (interval === 3) await freezesPass(partner);
    await watcher.interval();
    const { waiting, unservedGaps, coveredUntil } = await watcher.status();
    expect({ waiting: waiting <= 1, unservedGaps }).toEqual({ waiting: true, unservedGaps: 0 });
    if (interval < 3) expect(coveredUntil).toBeGreaterThanOrEqual(begun);
  }
  expect(await validityOf(partner.key)).toMatchObject({ onChainState: expect.stringMatching(/ACTIVE|FROZEN/) });
  expect((await verdicts(partner)).check).toBe(false);
});

it('more changes of strangers than an interval names delay the coverage, and end without a gap', {
  timeout: 600_000,
}, async () => {
  const partner = await aPartnerIn(DEFAULT);
  const tokens = await manyTokens(partner, 700);
  const watcher = await TestWatcher.begin();
  await watcher.interval(2);
  await flood(partner, dataOf('freeze', tokens), 120_000);
  await freezesPass(partner);
  await mine(3);
  await watcher.interval();
  expect((await watcher.status()).waiting).toBeGreaterThan(0);
  await flood(partner, burnsOf(tokens.slice(0, 400)), 200_000);
  const begun = Math.floor(Date.now() / 1000);
  let intervals = 0;
  await eventually(async () => {
    intervals += 1;
    await mine(2);
    await dueNow(watcher);
    await watcher.interval();
    const { waiting, coveredUntil } = await watcher.status();
    expect({ waiting, isCovered: (coveredUntil ?? 0) >= begun }).toEqual({ waiting: 0, isCovered: true });
  });
  expect(intervals).toBeLessThanOrEqual(14);
  expect(await watcher.status()).toMatchObject({ unservedGaps: 0, gaps: 0 });
  expect((await verdicts(partner)).check).toBe(false);
});

it.each([
  ['says that the token is of a stranger', altering('eth_call', () => `0x${'7'.repeat(64)}`)],
  [
    'invents the burn of the token in the gatekeeper network of a stranger',
    altering('eth_getLogs', (logs: { topics: Hex[] }[]) =>
      logs.flatMap((log) =>
        log.topics[0] === topicOf('Freeze')
          ? [
              log,
              { ...log, topics: [topicOf('SlotChanged'), log.topics[1], `0x${'7'.repeat(64)}`, `0x${'0'.repeat(64)}`] },
            ]
          : [log],
      ),
    ),
  ],
])('one of two endpoints that %s hides no loss', async (_, lie) => {
  for (const alterations of [
    [lie, HONEST],
    [HONEST, lie],
  ]) {
    const partner = await aPartnerIn(DEFAULT);
    const { urls } = alteredNodes(nodeOf('sepolia'), ...alterations);
    const watcher = await TestWatcher.begin({ urls: urls.map((url) => url()) });
    await freezesPass(partner);
    for (let interval = 0; interval < 6; interval += 1) {
      await mine();
      await dueNow(watcher);
      await watcher.interval();
    }
    expect((await verdicts(partner)).check).toBe(false);
  }
});

it('public checks say what the contracts say in random worlds, and the coverage advances', { timeout: 3_600_000 }, () =>
  runWorlds(inject('form') === 'long' ? 5_000 : 100),
);
