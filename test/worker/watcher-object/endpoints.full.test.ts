import { env } from 'cloudflare:workers';
import type { Hex } from 'viem';
import { toEventSelector } from 'viem/utils';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { eventually } from '../../eventually.ts';
import { type Alteration, alteredNodes, altering, HONEST } from '../chain/altered-nodes.ts';
import { callSepolia, makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { partner } from '../http/api.ts';
import { coverageOf, nodeOf, TestWatcher, validityOf } from './a-watcher.ts';
import { anActivePass, anOtherGatekeeper, changedByOther, passTime, stepOf } from './others.ts';

/** The watcher over endpoints that count requests, lie, lag or fail. The test makes the blocks and runs the intervals. */

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

const AWAY: Alteration = { refuse: () => new Response('no', { status: 503 }) };
const FREEZE = toEventSelector('Freeze(uint256)');
const HASH = `0x${'ab'.repeat(32)}`;

/** Opens endpoints of the node, and a watcher over them. */
async function begun(...alterations: readonly Alteration[]) {
  const { urls, requests } = alteredNodes(nodeOf('sepolia'), ...alterations);
  const options = { urls: urls.map((url) => url()) };
  return { watcher: await TestWatcher.begin(options), requests, options };
}

const total = (requests: readonly (readonly unknown[])[]) => requests.reduce((sum, each) => sum + each.length, 0);

describe('the requests of a watcher', () => {
  it('are one for each interval while nothing foreign happens, from the endpoints in turn', async () => {
    const { watcher, requests } = await begun(HONEST, HONEST);
    const before = requests.map(({ length }) => length);
    for (let blocks = 0; blocks < 6; blocks += 1) {
      await mine(blocks);
      await watcher.interval();
    }
    expect(requests.map(({ length }, index) => length - (before[index] ?? 0))).toEqual([3, 3]);
    expect((await watcher.status()).why).toBeNull();
  });

  it('are none more for a change by the service itself', async () => {
    const { watcher, requests } = await begun(HONEST);
    await anActivePass();
    const before = total(requests);
    await watcher.interval(2);
    expect(total(requests)).toBe(before + 2);
    expect(await watcher.status()).toMatchObject({ waiting: 0, foreignChanges: 0 });
  });

  it('are none while it is off, and it catches up when it is on again', async () => {
    const key = await anActivePass();
    const { watcher, requests, options } = await begun(HONEST);
    await watcher.configure({ ...options, settings: { watch: false } });
    const before = total(requests);
    const covered = await coverageOf(key);
    await changedByOther(key, 'freeze');
    await mine(3);
    await watcher.interval(2);
    expect(total(requests)).toBe(before);
    expect(await coverageOf(key)).toBe(covered);
    expect(await watcher.status()).toMatchObject({ isOn: false });
    await watcher.configure(options);
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'FROZEN' });
    expect(await watcher.status()).toMatchObject({ isOn: true, foreignChanges: 1 });
  });

  it('are none in a network without a pass', async () => {
    const { requests, urls } = alteredNodes(inject('localnet').rpc.baseSepolia as string, HONEST);
    const watcher = new TestWatcher('baseSepolia');
    await watcher.configure({ urls: urls.map((url) => url()) });
    await watcher.object.restoreAlarm();
    await watcher.interval(2);
    expect(total(requests)).toBe(0);
    expect(await watcher.object.status()).toBeUndefined();
  });

  it('are few for an outage of 2,000 blocks, although the endpoint accepts 200 blocks at a time', async () => {
    const key = await anActivePass();
    let head = 0;
    const limited: Alteration = {
      alter(call, answer) {
        const [{ fromBlock, toBlock }] = call.method === 'eth_getLogs' ? call.params : [{}];
        if (call.method !== 'eth_getLogs') return answer;
        const to = toBlock === 'latest' ? head : Number(toBlock);
        return to - Number(fromBlock) > 200
          ? { error: { code: -32_005, message: 'query exceeds max block range 200' } }
          : answer;
      },
    };
    const { watcher, requests } = await begun(limited);
    const covered = await coverageOf(key);
    await changedByOther(key, 'revoke');
    await mine(2_000);
    head = Number(await callSepolia('eth_blockNumber'));
    const before = total(requests);
    await watcher.interval();
    expect((await watcher.status()).gaps).toBeGreaterThan(0);
    expect(await coverageOf(key)).toBe(covered);
    for (let intervals = 0; (await watcher.status()).gaps > 0 && intervals < 30; intervals += 1)
      await watcher.interval();
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'REVOKED' });
    expect(await watcher.status()).toMatchObject({ gaps: 0, waiting: 0, foreignChanges: 1 });
    const asked = total(requests) - before;
    // The clock of the chain may be ahead, and the coverage is never later than now.
    await eventually(async () => {
      await watcher.interval();
      expect((await coverageOf(key)) ?? 0).toBeGreaterThan(covered ?? 0);
    }, 500);
    expect(asked).toBeLessThan(120);
  });
});

it('a log with other arguments than the known build leaves a gap to the reconciliation, and nothing covers it before', async () => {
  const key = await anActivePass();
  const { watcher, options } = await begun(
    altering('eth_getLogs', (logs) =>
      logs.map((log: { topics: Hex[] }) =>
        log.topics[0] === FREEZE ? { ...log, topics: [FREEZE], data: log.topics[1] } : log,
      ),
    ),
  );
  await passTime();
  await changedByOther(key, 'freeze');
  const { timestamp } = await callSepolia<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
  await passTime();
  await mine(4);
  await watcher.interval(3);
  expect(await watcher.status()).toMatchObject({ waiting: 0, unservedGaps: 1 });
  expect((await watcher.status()).coveredUntil).toBeLessThanOrEqual(Number(timestamp));
  await watcher.object.closeUnservedGaps(Date.now());
  await watcher.configure(options);
});

describe('an endpoint', () => {
  it('that invents a log costs one comparison, and changes nothing', async () => {
    const key = await anActivePass();
    const frozen = { address: stepOf(key).contract, data: '0x' };
    let isLying = false;
    const inventing = altering('eth_getLogs', (logs, { params: [{ fromBlock }] }) =>
      isLying
        ? [
            ...logs,
            {
              ...frozen,
              topics: [FREEZE, `0x${'00'.repeat(31)}01`],
              transactionHash: HASH,
              blockNumber: `0x${(Number(fromBlock) + 1).toString(16)}`,
            },
          ]
        : logs,
    );
    const { watcher, requests } = await begun(inventing);
    isLying = true;
    await mine();
    const before = total(requests);
    await watcher.interval();
    isLying = false;
    await mine(3);
    await watcher.interval(2);
    // One for each interval, one that asks for the gatekeeper network of the token, and two that read the token.
    expect(total(requests)).toBeLessThanOrEqual(before + 3 + 1 + 2);
    expect(await watcher.status()).toMatchObject({ waiting: 0, foreignChanges: 0 });
    expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', isPending: false });
  });

  it('that hides a log delays the change by one interval, because the other one shows it', async () => {
    const key = await anActivePass();
    const { watcher } = await begun(
      HONEST,
      altering('eth_getLogs', () => []),
    );
    // The next scan is by the endpoint that hides the logs.
    await changedByOther(key, 'freeze');
    await watcher.interval();
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ isPending: true });
  });

  it('that is away stops nothing, and the coverage stands still while all are', async () => {
    const key = await anActivePass();
    let isAway = false;
    const refuse = () => (isAway ? AWAY.refuse?.([]) : undefined);
    const { watcher } = await begun(AWAY, { refuse });
    expect((await watcher.status()).why).toBeNull();
    isAway = true;
    const covered = await coverageOf(key);
    await changedByOther(key, 'freeze');
    await watcher.interval(2);
    expect((await watcher.status()).why).toMatch(/no endpoint answered/);
    expect(await coverageOf(key)).toBe(covered);
    isAway = false;
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ isPending: true });
  });

  it('that refuses logs for good leaves a gap to the reconciliation, which closes it', async () => {
    const key = await anActivePass();
    let keepsFrom = 0;
    const pruned = altering('eth_getBlockByNumber', (block) =>
      block !== null && Number(block.number) < keepsFrom ? null : block,
    );
    const { watcher, options } = await begun(pruned);
    await passTime();
    await changedByOther(key, 'revoke');
    await mine(20);
    keepsFrom = Number(await callSepolia<Hex>('eth_blockNumber'));
    await watcher.interval(2);
    const status = await watcher.status();
    expect(status).toMatchObject({ unservedGaps: 1 });
    const covered = status.coveredUntil;
    await passTime();
    await mine();
    await watcher.interval();
    expect((await watcher.status()).coveredUntil).toBe(covered);
    const run = await (env as Env).DB.prepare("SELECT position FROM runs WHERE kind = 'reconciliation'").first(
      'position',
    );
    expect(String(run)).toContain('sepolia');
    await watcher.object.closeUnservedGaps(Date.now());
    await watcher.configure(options);
    await watcher.interval();
    expect(await watcher.status()).toMatchObject({ gaps: 0 });
    // The clock of the chain may be ahead, and the coverage is never later than now.
    await eventually(async () => {
      await watcher.interval();
      expect((await watcher.status()).coveredUntil).toBeGreaterThan(covered ?? 0);
    }, 500);
  });
});
