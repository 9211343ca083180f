import { getAddress, type Hex } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { topicOf } from '../../../../src/chain/ethereum/abi.ts';
import { RpcFault } from '../../../../src/chain/port.ts';
import type { Place, TransactionChange } from '../../../../src/chain/watch-port.ts';
import { type Alteration, altering, type Call, HONEST } from '../altered-nodes.ts';
import { tokenIdOf } from './issuing.ts';
import { aStep, callSepolia, makeBlocksByHand, mine } from './node.ts';
import { accounts, mintAsOther, setGatekeeper } from './others.ts';
import { freezeBetween, newestPlace, openAltered, queryOf, scan, scanAll, tokensIn, watch } from './watching.ts';

/** Scans endpoints that refuse, lack, hide or invent logs. */

const { contract } = aStep();

makeBlocksByHand();
beforeAll(async () => setGatekeeper(aStep(), getAddress((await accounts()).other), true));
beforeEach(() => void vi.spyOn(console, 'log').mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

/** Returns the number of blocks of a query, as a node counts it. */
async function blocksOf({ params: [{ fromBlock, toBlock }] }: Call): Promise<number> {
  const head = toBlock === 'latest' ? await callSepolia<Hex>('eth_blockNumber') : toBlock;
  return Number(head) - Number(fromBlock) + 1;
}

const TOO_WIDE = { code: -32_600, message: 'block range is too wide' };
const refusalOf = ({ id }: Call, error = TOO_WIDE) => ({ jsonrpc: '2.0', id, error });

/** The ways in which an endpoint refuses a request with a range that is too wide. */
const REFUSALS: Readonly<Record<string, (calls: readonly Call[]) => Response>> = {
  'an error object with status 200': (calls) => Response.json(refusalOf(calls[0] as Call)),
  'an error for each call': (calls) =>
    Response.json(calls.length === 1 ? refusalOf(calls[0] as Call) : calls.map((call) => refusalOf(call))),
  'HTTP 400': (calls) => Response.json(refusalOf(calls[0] as Call), { status: 400 }),
  'HTTP 413': () => new Response('', { status: 413 }),
  'plain text': () => new Response('query returned more than 10000 results'),
  'a dropped connection': () => {
    throw new TypeError('Network connection lost.');
  },
};

/** Whether the query has more blocks than the limit. */
function isWider(limit: number, head: Place, { params: [{ fromBlock, toBlock }] }: Call): boolean {
  return (toBlock === 'latest' ? head.at : Number(toBlock)) - Number(fromBlock) + 1 > limit;
}

/** Refuses requests with a query of more blocks than the limit. */
const limited = (limit: number, refuse: (calls: readonly Call[]) => Response, head: Place): Alteration => ({
  refuse(calls) {
    const query = queryOf(calls);
    return query && isWider(limit, head, query) ? refuse(calls) : undefined;
  },
});

/** Answers a query of more blocks than the limit with an error, and the calls beside it as usual. */
const limitedAlone = (limit: number, head: Place): Alteration => ({
  alter: (call, answer) => (call.method === 'eth_getLogs' && isWider(limit, head, call) ? { error: TOO_WIDE } : answer),
});

describe.each(Object.entries(REFUSALS))('an endpoint that refuses wide ranges with %s', (_, refuse) => {
  it('is read in smaller ranges, the newest first, and nothing is lost or read twice', async () => {
    const { after, id } = await freezeBetween(70, 30);
    const head = await newestPlace();
    const { watch: on, requests } = openAltered(limited(7, refuse, head));
    const { changes, scans } = await scanAll(on, after);
    expect(changes).toMatchObject([{ change: 'TOKEN_FROZEN', token: String(id) }]);
    expect(scans[0]?.newest).toEqual(head);
    const ranges = (requests[0] ?? []).flatMap((calls) => queryOf(calls) ?? []);
    expect(await Promise.all(ranges.slice(-3).map(blocksOf))).not.toContain(8);
    expect(scans.length).toBeLessThan(40);
  });

  it('is asked with the learned size from then on: one query per scan', async () => {
    const place = (await freezeBetween(20, 20)).after;
    // A span that looks short is tried in one request. The node's clock is ahead by a second for each block that a test made.
    const after = { ...place, time: 0 };
    const { watch: on, requests } = openAltered(limited(10, refuse, await newestPlace()));
    await scanAll(on, after);
    const asked = requests[0]?.length ?? 0;
    expect((await scan(after, { on })).left).toBeDefined();
    const queries = (requests[0] ?? []).slice(asked).flatMap((calls) => queryOf(calls) ?? []);
    expect(await Promise.all(queries.map(blocksOf))).toEqual([10]);
  });
});

describe('the requests of a scan', () => {
  it('are one per scan, from each endpoint in turn', async () => {
    await mine();
    const { watch: on, requests } = openAltered(HONEST, HONEST);
    let after = await newestPlace();
    for (let turn = 0; turn < 6; turn += 1) {
      await mine(2);
      after = (await scan(after, { on, turn })).newest;
    }
    expect(requests.map((each) => each.length)).toEqual([3, 3]);
    expect(requests.flat().every((calls) => queryOf(calls) !== undefined)).toBe(true);
  });

  it('are one to the next endpoint if the first one does not answer', async () => {
    await mine();
    const away: Alteration = { refuse: () => new Response('', { status: 503 }) };
    const { watch: on, requests } = openAltered(away, HONEST);
    const after = await newestPlace();
    await scan(after, { on, turn: 0 });
    expect(requests[1]).toHaveLength(1);
    await scan(after, { on, turn: 1 });
    expect(requests[1]).toHaveLength(2);
  });

  it('are few after an outage of ten times the blocks that the endpoint accepts', async () => {
    const { after, id } = await freezeBetween(600, 400);
    const { watch: on, requests } = openAltered(limitedAlone(100, await newestPlace()));
    const { changes, scans } = await scanAll(on, after);
    expect(changes).toMatchObject([{ token: String(id) }]);
    expect(scans.length).toBeLessThanOrEqual(2 * 10);
    // Each scan reads the head and a range.
    expect(requests[0]?.length).toBeLessThan(2 * scans.length + 20);
  });
});

const HIDDEN = altering('eth_getLogs', () => []);

describe('an endpoint that lies about logs', () => {
  it.each<[string, (log: Record<string, unknown>) => Record<string, unknown>]>([
    ['of another contract', (log) => ({ ...log, address: `0x${'1'.repeat(40)}` })],
    ['of another event', (log) => ({ ...log, topics: [`0x${'1'.repeat(64)}`] })],
    ['of an earlier block', (log) => ({ ...log, blockNumber: '0x1' })],
    ['that was removed', (log) => ({ ...log, removed: true })],
    ['without a transaction', (log) => ({ ...log, transactionHash: undefined })],
    ['without a block', (log) => ({ ...log, blockNumber: null })],
  ])('is not believed if it shows a log %s, and the next endpoint is asked', async (_, alter) => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { after, id } = await freezeBetween(0, 0);
    const lie = altering('eth_getLogs', (logs: Record<string, unknown>[]) => logs.map(alter));
    const { watch: on } = openAltered(lie, HONEST);
    expect(tokensIn(await scan(after, { on }))).toMatchObject([{ token: String(id) }]);
    const { watch: alone } = openAltered(lie);
    await expect(scan(after, { on: alone })).rejects.toThrow(RpcFault);
  });

  it('hides them for one turn only: the next turn asks another endpoint', async () => {
    const { after, id } = await freezeBetween(0, 0);
    const { watch: on } = openAltered(HIDDEN, HONEST);
    expect((await scan(after, { on, turn: 0 })).changes).toEqual([]);
    expect(tokensIn(await scan(after, { on, turn: 1 }))).toMatchObject([{ token: String(id) }]);
  });

  it('that hides the wallet of a mint shows the change without it, and the resolution finds the wallet', async () => {
    const step = aStep();
    const { after, id } = await freezeBetween(0, 0);
    await mintAsOther(step);
    const withoutTransfer = altering('eth_getLogs', (logs: { topics: string[] }[]) =>
      logs.filter(({ topics }) => topics[0] !== topicOf('Transfer')),
    );
    const { watch: on } = openAltered(withoutTransfer, HONEST);
    const changes = tokensIn(await scan(after, { on }));
    expect(changes).toMatchObject([
      { change: 'TOKEN_FROZEN', token: String(id) },
      { change: 'TOKEN_ISSUED', token: String(await tokenIdOf(step)) },
    ]);
    expect(changes[1]?.holder).toBeUndefined();
    const { resolved } = await watch.resolve(changes, 0);
    expect(resolved[1]).toMatchObject({ holder: { wallet: step.key.wallet }, state: 'ACTIVE' });
  });

  it('that invents a change costs a reading: the resolution shows the token as it is', async () => {
    const { after } = await freezeBetween(0, 0);
    const step = aStep();
    await mintAsOther(step);
    const token = `0x${(await tokenIdOf(step)).toString(16).padStart(64, '0')}`;
    const invent = altering('eth_getLogs', (logs: { topics: string[] }[]) =>
      logs.filter(({ topics }) => topics.length === 2).map((log) => ({ ...log, topics: [log.topics[0], token] })),
    );
    const { watch: on } = openAltered(invent);
    const changes = tokensIn(await scan(after, { on }));
    expect(changes).toMatchObject([{ change: 'TOKEN_FROZEN' }]);
    const { resolved } = await watch.resolve(changes, 0);
    expect(resolved).toMatchObject([{ holder: { wallet: step.key.wallet }, state: 'ACTIVE' }]);
  });
});

describe('a log of an unknown form', () => {
  /** Removes the token from the topics of each log. */
  const garbling = altering('eth_getLogs', (logs: { topics: Hex[] }[]) =>
    logs.map((log) => ({ ...log, topics: log.topics.slice(0, 1), data: '0x' })),
  );
  const permutationsOf = <T>(one: T, other: T): T[][] => [
    [one, other, other],
    [other, one, other],
    [other, other, one],
  ];

  async function aGarbledChange() {
    const { after } = await freezeBetween(0, 0);
    const { changes } = await scan(after, { on: openAltered(garbling).watch });
    expect(changes).toMatchObject([{ type: 'transaction' }]);
    return changes as [TransactionChange];
  }

  it('counts for nothing if two other endpoints do not show it', async () => {
    const [change] = await aGarbledChange();
    for (const endpoints of [...permutationsOf(garbling, HONEST), ...permutationsOf(garbling, HIDDEN)])
      expect(await openAltered(...endpoints).watch.resolve([change], 0)).toEqual({
        resolved: [],
        unresolved: [change],
        unread: [],
      });
  });

  it('is unread if fewer than two endpoints do not show it', async () => {
    const [change] = await aGarbledChange();
    const refusing: Alteration = {
      alter: (call, answer) => (call.method === 'eth_getLogs' ? { error: { code: 4444, message: 'pruned' } } : answer),
    };
    for (const endpoints of [
      [garbling],
      [garbling, HONEST],
      [HONEST, garbling],
      [refusing, HIDDEN],
      ...permutationsOf(HIDDEN, garbling),
    ])
      expect(await openAltered(...endpoints).watch.resolve([change], 0)).toEqual({
        resolved: [],
        unresolved: [],
        unread: [{ change, why: expect.stringMatching(/unknown form|pruned/) }],
      });
  });
});

describe('an endpoint that is behind', () => {
  const lagging = (blocks: number) =>
    ({
      alter: ({ method, params }, answer) => {
        const { result } = answer;
        if (method !== 'eth_getBlockByNumber') return method === 'eth_getLogs' ? { result: [] } : answer;
        const head = `0x${(blocks).toString(16)}`;
        if (params[0] === 'latest') return { result: { ...result, number: head } };
        return Number(result?.number ?? 0) > blocks ? { result: null } : answer;
      },
    }) satisfies Alteration;

  it('is passed over while it lacks the block after which the span begins', async () => {
    const { after, id } = await freezeBetween(0, 0);
    const { watch: on } = openAltered(lagging(after.at - 1), HONEST);
    expect(tokensIn(await scan(after, { on }))).toMatchObject([{ token: String(id) }]);
  });

  it('is passed over if it lacks the last block of a gap', async () => {
    const { after, id } = await freezeBetween(2, 2);
    const before = await newestPlace();
    const { watch: on } = openAltered(lagging(after.at + 1), HONEST);
    expect(tokensIn(await scan(after, { on, before }))).toMatchObject([{ token: String(id) }]);
  });

  it('leads back to an earlier place if every endpoint lacks the block after which the span begins', async () => {
    const { after } = await freezeBetween(0, 0);
    const { watch: on } = openAltered(lagging(after.at - 1), lagging(after.at - 2));
    expect(await on.scan({ after }, [contract], 0)).toEqual({ type: 'reorged' });
    const future = { at: 1_000_000_000, id: `0x${'ab'.repeat(32)}`, time: 4_102_444_800 };
    expect(await watch.scan({ after: future }, [contract], 0)).toEqual({ type: 'reorged' });
    expect(await watch.scan({ after, before: future }, [contract], 0)).toEqual({ type: 'reorged' });
    const away: Alteration = { refuse: () => new Response('', { status: 503 }) };
    const { watch: half } = openAltered(away, lagging(after.at - 1));
    expect(await half.scan({ after }, [contract], 0)).toEqual({ type: 'reorged' });
  });

  it('leads back to an earlier place if it lacks only that block, because another node may answer behind its URL', async () => {
    const { after, id } = await freezeBetween(0, 2);
    const lacking = altering('eth_getBlockByNumber', (block, { params }) =>
      Number(params[0]) === after.at ? null : block,
    );
    const { watch: alone } = openAltered(lacking);
    expect(await alone.scan({ after }, [contract], 0)).toEqual({ type: 'reorged' });
    const { watch: both } = openAltered(lacking, HONEST);
    expect(tokensIn(await scan(after, { on: both }))).toMatchObject([{ token: String(id) }]);
  });

  it('does not show a final block beyond its newest block', async () => {
    const after = await newestPlace();
    await mine();
    const ahead = altering('eth_getBlockByNumber', (block, { params }) =>
      params[0] === 'finalized' || params[0] === 'safe' ? { ...block, number: '0x3b9aca00' } : block,
    );
    const { watch: on } = openAltered(ahead);
    const { newest, finalAt, confirmedAt } = await scan(after, { on });
    expect(finalAt).toBeLessThanOrEqual(newest.at);
    expect(confirmedAt).toBeLessThanOrEqual(newest.at);
  });

  it('does not resolve a change that its newest block does not have', async () => {
    const { after, id } = await freezeBetween(0, 0);
    const changes = tokensIn(await scan(after));
    const { watch: on } = openAltered(lagging(after.at), HONEST);
    expect((await on.resolve(changes, 0)).resolved).toMatchObject([{ token: String(id), state: 'FROZEN' }]);
    const { watch: alone } = openAltered(lagging(after.at));
    await expect(alone.resolve(changes, 0)).rejects.toThrow(RpcFault);
  });
});

describe('a part of the history that endpoints lack', () => {
  const pruned = (from: number): Alteration => ({
    alter({ method, params }, answer) {
      const isOld = method === 'eth_getLogs' && Number(params[0].fromBlock) < from;
      return isOld ? { error: { code: 4444, message: 'pruned history unavailable' } } : answer;
    },
  });

  it('is gone if no endpoint has it, and the newer part is read before', async () => {
    const { after, id } = await freezeBetween(30, 30);
    const { at } = await newestPlace();
    const { watch: on } = openAltered(pruned(at - 40), pruned(at - 40));
    let before: Place | undefined;
    const changes = [];
    for (;;) {
      const found = await on.scan({ after, before }, [contract], 0);
      if (found.type !== 'scanned') {
        expect(found).toMatchObject({ type: 'gone' });
        break;
      }
      changes.push(...tokensIn(found));
      before = found.left?.before;
    }
    expect(changes).toMatchObject([{ token: String(id) }]);
    expect(before?.at).toBe(at - 40);
  });

  it('is not gone while another endpoint fails', async () => {
    const { after } = await freezeBetween(1, 1);
    const { at } = await newestPlace();
    const away: Alteration = { refuse: () => new Response('', { status: 503 }) };
    const { watch: on } = openAltered(pruned(at + 1), away);
    await expect(on.scan({ after }, [contract], 0)).rejects.toThrow(RpcFault);
    const { watch: both } = openAltered(pruned(at + 1), pruned(at + 1));
    expect(await both.scan({ after }, [contract], 0)).toMatchObject({ type: 'gone' });
  });

  it('is read from the endpoint that has it', async () => {
    const { after, id } = await freezeBetween(30, 30);
    const { at } = await newestPlace();
    const { watch: on } = openAltered(pruned(at), HONEST);
    const before = await newestPlace();
    expect(tokensIn(await scan(after, { on, before }))).toMatchObject([{ token: String(id) }]);
  });
});
