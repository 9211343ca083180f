import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { topicOf } from '../../../src/chain/ethereum/abi.ts';
import { HOUR_MS } from '../../../src/lib/units.ts';
import { sendReconcile } from '../../../src/message/queue.ts';
import { lastRun, type Run } from '../../../src/store/runs.ts';
import { WatcherStore } from '../../../src/watcher-object/watcher-store.ts';
import { eventually } from '../../eventually.ts';
import { type Alteration, alteredNodes, HONEST } from '../chain/altered-nodes.ts';
import { aStep, callSepolia, makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { setFeatures, setGatekeeper } from '../chain/ethereum/others.ts';
import { deliver, objectOf, processPass } from '../consumer/deliver.ts';
import { aMessage, aQueue, reconcileWith } from '../consumer/reconciliation-night.ts';
import { partner } from '../http/api.ts';
import { coverageOf, nodeOf, TestWatcher, validityOf } from './a-watcher.ts';
import { anActivePass, anOtherGatekeeper, changedByOther, passTime } from './others.ts';

/** The damage that one bad endpoint, one stranger or one lost interval can do. */

makeBlocksByHand();
beforeAll(async () => {
  await partner('acme');
  await anOtherGatekeeper();
});
beforeEach(() => void vi.spyOn(console, 'log').mockImplementation(() => undefined));
afterEach(async () => {
  vi.restoreAllMocks();
  await mine(4);
});

const over = (...alterations: readonly Alteration[]) =>
  alteredNodes(nodeOf('sepolia'), ...alterations).urls.map((url) => url());
const hex = (value: number) => `0x${value.toString(16)}`;
const head = async () => Number(await callSepolia<string>('eth_blockNumber'));

describe('one of two endpoints', () => {
  it('cannot hide a loss whose log the other endpoint shows', async () => {
    const key = await anActivePass();
    // The first endpoint says of each token that it is active.
    const liar: Alteration = {
      alter: (call, answer) => {
        const { result } = answer;
        const isToken = call.method === 'eth_call' && typeof result === 'string' && result.length >= 2 + 5 * 64;
        return isToken ? { result: `${result.slice(0, 66)}${'0'.repeat(64)}${result.slice(130)}` } : answer;
      },
    };
    const watcher = await TestWatcher.begin({ urls: over(liar, HONEST) });
    await changedByOther(key, 'freeze');
    await mine(3);
    await watcher.interval(4);
    const status = await watcher.status();
    const { isPending, onChainState } = (await validityOf(key)) ?? {};
    expect(isPending || onChainState === 'FROZEN' || status.waiting > 0).toBe(true);
  });

  describe('that once shows a head in the future', () => {
    let lies = false;
    const liar = (withLog: boolean): Alteration => ({
      alter: (call, answer) => {
        if (!lies) return answer;
        const { result } = answer;
        if (call.method === 'eth_getBlockByNumber' && call.params[0] === 'latest')
          return {
            result: {
              ...result,
              number: hex(1_000_000_000),
              hash: `0x${'ab'.repeat(32)}`,
              timestamp: hex(4_102_444_800),
            },
          };
        if (call.method === 'eth_getLogs' && withLog)
          return {
            result: [
              {
                address: aStep().contract,
                topics: [topicOf('Freeze'), `0x${'0'.repeat(63)}1`],
                data: '0x',
                blockNumber: hex(1_000_000_000),
                blockHash: `0x${'ab'.repeat(32)}`,
                transactionHash: `0x${'cd'.repeat(32)}`,
                transactionIndex: '0x0',
                logIndex: '0x0',
                removed: false,
              },
            ],
          };
        return answer;
      },
    });
    const lieOnce = async (withLog: boolean) => {
      lies = false;
      const key = await anActivePass();
      const watcher = await TestWatcher.begin({ urls: over(liar(withLog), HONEST) });
      await mine();
      await watcher.interval();
      lies = true;
      await mine();
      await watcher.interval();
      lies = false;
      return { key, watcher };
    };

    it('does not make the watcher claim the future', async () => {
      const { key } = await lieOnce(false);
      expect(await coverageOf(key)).toBeLessThan(Date.now() / 1000 + 3_600);
    });

    it('does not end the watch', async () => {
      const { watcher } = await lieOnce(false);
      for (let times = 0; times < 12; times += 1) {
        await mine();
        await watcher.interval();
      }
      expect(await watcher.status()).toMatchObject({ why: null });
    });

    it('leaves no change that waits forever', async () => {
      const { watcher } = await lieOnce(true);
      for (let times = 0; times < 12; times += 1) {
        await mine();
        await watcher.interval();
      }
      expect(await watcher.status()).toMatchObject({ waiting: 0 });
    });
  });
});

describe.each`
  what                                        | poisoned
  ${'that every endpoint refuses'}            | ${() => ({ error: { code: -32_000, message: 'log response size exceeded' } })}
  ${'that are longer than any answer may be'} | ${(answer: { result: object[] }, at: number) => ({ result: [...answer.result, ...manyLogs(at)] })}
`('the logs of one block $what', ({ poisoned }) => {
  it('do not end the coverage', async () => {
    const key = await anActivePass();
    let poison = Number.POSITIVE_INFINITY;
    const limited: Alteration = {
      alter: (call, answer) => {
        if (call.method !== 'eth_getLogs') return answer;
        const [{ fromBlock, toBlock }] = call.params;
        const to = toBlock === 'latest' ? Number.POSITIVE_INFINITY : Number(toBlock);
        return Number(fromBlock) <= poison && poison <= to ? poisoned(answer, poison) : answer;
      },
    };
    const watcher = await TestWatcher.begin({ urls: over(limited, limited) });
    await passTime();
    await mine(5);
    await watcher.interval();
    poison = (await head()) + 1;
    await passTime();
    await mine(6);
    const run = async () => {
      for (let times = 0; times < 20; times += 1) {
        await passTime();
        await mine();
        await watcher.interval();
      }
    };
    await run();
    const covered = await coverageOf(key);
    await run();
    // The clock of the chain may be ahead, and the coverage is never later than now.
    await eventually(async () => {
      await watcher.interval();
      const { gaps, unservedGaps } = await watcher.status();
      const isReported = unservedGaps > 0 && gaps === unservedGaps;
      expect(isReported || (await coverageOf(key)) !== covered).toBe(true);
    }, 500);
  });
});

/** As many logs as a block of 60 million gas can hold. */
const manyLogs = (at: number) =>
  Array.from({ length: 6_000 }, (_, index) => ({
    address: aStep().contract,
    topics: [topicOf('Freeze'), `0x${String(index).padStart(64, '0')}`],
    data: '0x',
    blockNumber: hex(at),
    blockHash: `0x${'ab'.repeat(32)}`,
    transactionHash: `0x${'cd'.repeat(32)}`,
    transactionIndex: '0x0',
    logIndex: hex(index),
    removed: false,
  }));

it('a noted loss that has left the chain ends with a reading of the pass an hour later, also without a watcher', async () => {
  const key = await anActivePass();
  const watcher = await TestWatcher.begin();
  await changedByOther(key, 'freeze');
  await watcher.interval();
  expect(await validityOf(key)).toMatchObject({ isPending: true });
  await callSepolia('anvil_reorg', 1, []);
  await callSepolia('anvil_dropAllTransactions');
  await mine(30);
  // The switch is off from here on. The partner or the reconciliation reads the pass.
  const known = (await objectOf(key).readOnChain())?.question;
  if (known === undefined) throw new Error('no pass');
  const reading = { ...known.known, asOf: await head() };
  expect((await objectOf(key).adopt({ final: reading }))?.publication.validity.isPending).toBe(true);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR_MS });
  const result = await objectOf(key)
    .adopt({ final: reading })
    .finally(() => vi.useRealTimers());
  expect(result?.publication.validity.isPending).toBe(false);
});

it('counts any number of removed gatekeepers, and changes by others after them', async () => {
  const watcher = await TestWatcher.begin();
  await runInDurableObject(watcher.object, (_, { storage }) => {
    const store = new WatcherStore(storage);
    const named = (index: number) => ({
      contract: '0x',
      gatekeeperNetwork: aStep().key.gatekeeperNetwork,
      gatekeeper: `0x${String(index).padStart(40, '0')}`,
    });
    // An authority may remove any number of accounts. The newest ones stay, in a value of bounded size.
    for (let index = 0; index < 300; index += 1) expect(store.setRemoved(named(index), true)).toBe(true);
    expect(store.counts.removedGatekeepers).toEqual(Array.from({ length: 100 }, (_, index) => named(200 + index)));
    expect(() => store.countForeignChanges(1)).not.toThrow();
  });
});

it('a change that leaves the chain and returns at the same height counts again', async () => {
  const key = await anActivePass();
  const watcher = await TestWatcher.begin();
  await mine();
  await watcher.interval();
  const { transaction, at } = await changedByOther(key, 'freeze');
  const sent = await callSepolia<Record<string, string>>('eth_getTransactionByHash', transaction);
  await watcher.interval();
  expect(await validityOf(key)).toMatchObject({ isPending: true });
  await callSepolia('anvil_reorg', 1, []);
  await callSepolia('anvil_dropAllTransactions');
  await mine();
  await watcher.interval(2);
  expect(await validityOf(key)).toMatchObject({ isPending: false });
  const { from, to, input, gas, nonce, maxFeePerGas, maxPriorityFeePerGas } = sent;
  const again = { from, to, input, gas, nonce, maxFeePerGas, maxPriorityFeePerGas };
  await callSepolia('anvil_reorg', (await head()) - at + 1, [[again, 0]]);
  const receipt = await callSepolia<{ blockNumber: string; status: string } | null>(
    'eth_getTransactionReceipt',
    transaction,
  );
  expect({ ...receipt }).toMatchObject({ blockNumber: hex(at), status: '0x1' });
  await mine();
  await watcher.interval(4);
  const { isPending, onChainState } = (await validityOf(key)) ?? {};
  expect(isPending || onChainState === 'FROZEN').toBe(true);
});

it('a gatekeeper is no longer void when the network gives up the feature', async () => {
  const key = await anActivePass();
  const step = { ...aStep(), key };
  const watcher = await TestWatcher.begin();
  const gatekeeper = await anOtherGatekeeper();
  await setFeatures(step, 1n);
  await setGatekeeper(step, gatekeeper, false);
  await mine(3);
  await watcher.interval(2);
  try {
    expect((await watcher.status()).removedGatekeepers).toHaveLength(1);
    await setFeatures(step, 0n);
    await mine(3);
    vi.setSystemTime(Date.now() + HOUR_MS);
    await watcher.interval(3);
    expect((await watcher.status()).removedGatekeepers).toEqual([]);
  } finally {
    vi.useRealTimers();
    await setGatekeeper(step, gatekeeper, true);
    await mine(3);
    await watcher.interval(2);
  }
});

it('a node behind a load balancer that lacks the newest known block twice makes no unserved gap', async () => {
  let lacks = false;
  const lagging: Alteration = {
    alter: (call, answer) =>
      lacks && call.method === 'eth_getBlockByNumber' && /^0x/.test(call.params[0]) ? { result: null } : answer,
  };
  const older = { now: 0 };
  const watcher = await TestWatcher.begin({
    urls: over({
      alter: (call, answer) =>
        call.method === 'eth_getBlockByNumber' && Number(call.params[0]) < older.now
          ? answer
          : (lagging.alter?.(call, answer) ?? answer),
    }),
  });
  for (let times = 0; times < 4; times += 1) {
    await mine();
    older.now = await head();
    await watcher.interval();
  }
  // The node has every block but the two newest that the watcher knows.
  older.now -= 1;
  lacks = true;
  await mine();
  await watcher.interval(2);
  lacks = false;
  expect(await watcher.status()).toMatchObject({ unservedGaps: 0 });
});

it('a gap does not count as covered while the reconciliation has left out a pass whose step waits', async () => {
  const key = await anActivePass();
  const { ethereum } = inject('localnet').gatekeeper;
  const funds = await callSepolia<string>('eth_getBalance', ethereum, 'latest');
  let keepsFrom = 0;
  const pruned: Alteration = {
    alter: (call, answer) =>
      call.method === 'eth_getBlockByNumber' && answer.result && Number(answer.result.number) < keepsFrom
        ? { result: null }
        : answer,
  };
  const watcher = await TestWatcher.begin({ urls: over(pruned) });
  await callSepolia('anvil_setBalance', ethereum, '0x0');
  try {
    await objectOf(key).update({ client: 'acme', expiry: 1_950_000_000 });
    await deliver(processPass(key));
    await passTime();
    await changedByOther(key, 'revoke');
    const { timestamp } = await callSepolia<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
    await mine(20);
    keepsFrom = await head();
    await watcher.interval(2);
    expect(await watcher.status()).toMatchObject({ unservedGaps: 1 });
    const bindings = env as Env;
    const { updated: night } = (await lastRun(bindings.DB)) as Run;
    const { env: changed, bodies } = aQueue();
    for (let slices = 0; slices < 20 && (await watcher.status()).unservedGaps > 0; slices += 1) {
      await sendReconcile(changed.PASS_QUEUE, night);
      await reconcileWith(changed, [aMessage(bodies.shift()).message]);
    }
    await passTime();
    await mine();
    await watcher.interval(2);
    const { isPending, onChainState } = (await validityOf(key)) ?? {};
    const claims = ((await coverageOf(key)) ?? 0) >= Number(timestamp);
    expect({ claims, isPending, onChainState, left: bodies.length > 0 }).not.toMatchObject({
      claims: true,
      isPending: false,
      onChainState: 'ACTIVE',
    });
  } finally {
    await callSepolia('anvil_setBalance', ethereum, funds);
  }
});
