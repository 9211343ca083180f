import { getBase64Decoder, getI64Encoder } from '@solana/kit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readAccount } from '../../../src/chain/ethereum/network-conditions.ts';
import * as ethereum from '../../../src/chain/ethereum/rpc.ts';
import { type Identity, type JsonRpc, jsonRpc, openEndpoints } from '../../../src/chain/json-rpc.ts';
import { RpcFault } from '../../../src/chain/port.ts';
import * as solana from '../../../src/chain/solana/rpc.ts';
import { secret } from '../../../src/lib/secret.ts';
import { contextOver, sepolia } from './ethereum/node.ts';
import { devnet } from './solana/node.ts';

/** When the next endpoint is asked although one has answered: failed mandatory calls, and old blocks. */

/** The answers of an endpoint by method; without an entry, an error. */
type Answers = Readonly<Record<string, unknown>>;

interface Side {
  readonly identity: Identity;
  /** An endpoint whose newest block was made at that time (Unix seconds). */
  node(time: number): Answers;
  /** Reads a value that every adapter needs. */
  read(rpc: JsonRpc): Promise<unknown>;
  /** The method that it asks for. */
  readonly asks: string;
}

const ON_ETHEREUM: Side = {
  identity: ethereum.identityOf(sepolia().network),
  node: (time) => ({
    eth_chainId: ethereum.hex(sepolia().network.chainId),
    eth_getBlockByNumber: { number: '0x5', hash: '0x', timestamp: ethereum.hex(time) },
    eth_getTransactionCount: '0x5',
    eth_getBalance: '0x5',
  }),
  read: (rpc) => readAccount(contextOver(rpc)),
  asks: 'eth_getBalance',
};

const context = { slot: 5 };
const ON_SOLANA: Side = {
  identity: solana.identityOf(devnet().network),
  node: (time) => ({
    getGenesisHash: devnet().network.genesisHash,
    getAccountInfo: {
      context,
      value: { owner: 'Sysvar1111111111111111111111111111111111111', lamports: 1, data: [clock(time), 'base64'] },
    },
    getSlot: 5,
  }),
  read: (rpc) => solana.solanaRpc(rpc).getSlot().send(),
  asks: 'getSlot',
};

const clock = (time: number) =>
  getBase64Decoder().decode(Uint8Array.from([...new Uint8Array(32), ...getI64Encoder().encode(time)]));

/** Endpoints in order of preference. */
function rpcTo(identity: Identity, nodes: readonly Answers[], { atOnce = 200 } = {}) {
  const asked: number[] = [];
  const methods: string[] = [];
  const fetcher = async (url: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const calls = [JSON.parse(String(init?.body))].flat() as { id: number; method: string }[];
    if (calls.length > atOnce) return new Response('', { status: 400 });
    const index = Number(new URL(String(url)).port);
    asked.push(index);
    methods.push(...calls.map(({ method }) => method));
    const answers = nodes[index] ?? {};
    const error = { code: -32603, message: 'internal error' };
    return Response.json(
      calls.map(({ id, method }) => ({ id, ...(answers[method] ? { result: answers[method] } : { error }) })),
    );
  };
  const urls = nodes.map((_, index) => secret(`http://node:${index}/`));
  return { rpc: jsonRpc(urls, identity, fetcher as typeof fetch), asked, methods };
}

const now = () => Math.floor(Date.now() / 1000);

afterEach(() => void vi.useRealTimers());
const anHourAgo = () => now() - 3600;

describe.each([
  ['Ethereum', ON_ETHEREUM],
  ['Solana', ON_SOLANA],
])('endpoints on %s', (_, { identity, node, read, asks }) => {
  const newest = identity.newest?.call.method as string;

  it('skips an endpoint that answers a required read with an error also when it gets the read alone', async () => {
    const { rpc, asked, methods } = rpcTo(identity, [{ ...node(now()), [asks]: undefined }, node(now())]);
    for (const _ of [1, 2, 3]) await read(rpc);
    expect(asked).toEqual([0, 0, 1, 1, 1]);
    // The next endpoint gets only the call that the first one did not answer.
    const proofs = [identity.call.method, newest];
    expect(methods.join()).toContain([asks, ...proofs, asks].join());
  });

  it('skips an endpoint whose newest block is old, and asks the next one', async () => {
    const { rpc, asked } = rpcTo(identity, [node(anHourAgo()), node(now())]);
    for (const _ of [1, 2, 3]) await read(rpc);
    expect(asked).toEqual([0, 1, 1, 1]);
  });

  it('skips an endpoint that shows no newest block, and asks the next one', async () => {
    const { rpc, asked } = rpcTo(identity, [{ ...node(now()), [newest]: undefined }, node(now())]);
    await read(rpc);
    // The first endpoint gets the call in smaller batches, and then alone.
    expect(asked.slice(0, -1)).toEqual(asked.slice(0, -1).fill(0));
    expect(asked.length).toBeLessThanOrEqual(5);
    asked.length = 0;
    await read(rpc);
    expect(asked).toEqual([1]);
  });

  it('reads a halted chain from the first endpoint, without asking every endpoint every time', async () => {
    const { rpc, asked } = rpcTo(identity, [node(anHourAgo()), node(anHourAgo())]);
    for (const _ of [1, 2, 3]) await read(rpc);
    expect(asked).toEqual([0, 1, 0, 0]);
  });

  it('uses the answers of an endpoint with an old block when the next endpoint fails', async () => {
    const { rpc, asked } = rpcTo(identity, [node(anHourAgo()), {}]);
    await read(rpc);
    expect(asked).toEqual([0, 1, 1]);
  });

  it('asks an endpoint that failed before again before it uses old answers', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const nodes = [{}, node(anHourAgo())];
      const { rpc, asked } = rpcTo(identity, nodes);
      await read(rpc);
      vi.setSystemTime(Date.now() + 20_000);
      await read(rpc);
      nodes[0] = node(now());
      vi.setSystemTime(Date.now() + 20_000);
      await read(rpc);
      expect(asked).toEqual([0, 0, 1, 0, 0, 1, 1, 0]);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([1, 2])(
    'asks an endpoint that takes %d calls at once for its chain and newest block once, before the other calls',
    async (atOnce) => {
      const { rpc, asked, methods } = rpcTo(identity, [node(anHourAgo()), node(now())], { atOnce });
      await read(rpc);
      expect(new Set(asked)).toEqual(new Set([0, 1]));
      methods.length = 0;
      await read(rpc);
      const first = [identity.call.method, newest, asks];
      expect(methods.slice(0, 3)).toEqual(first);
      expect(methods.filter((method) => first.includes(method))).toHaveLength(3);
    },
  );

  it('does not ask a single endpoint for its newest block', async () => {
    const { rpc, methods } = rpcTo(identity, [node(anHourAgo())]);
    await read(rpc);
    expect(methods).not.toContain(newest);
  });
});

it('leaves an endpoint whose median response is slow, while another one is fast, and asks it again after a while', async () => {
  // A busy machine would make the fast endpoint slow.
  vi.useFakeTimers({ toFake: ['Date'] });
  const { identity, node } = ON_ETHEREUM;
  const asked: number[] = [];
  let slowMs = 30;
  const fetcher = async (url: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const index = Number(new URL(String(url)).port);
    asked.push(index);
    if (index === 1) vi.setSystemTime(Date.now() + slowMs);
    const calls = [JSON.parse(String(init?.body))].flat() as { id: number; method: string }[];
    return Response.json(calls.map(({ id, method }) => ({ id, result: node(now())[method] })));
  };
  const urls = [1, 2].map((index) => secret(`http://node:${index}/`));
  const { send, alone } = openEndpoints(urls, identity, fetcher as typeof fetch, 15);
  const ask = () => send([{ method: 'eth_getBalance', params: [] }]);
  for (let times = 0; times < 7; times += 1) await ask();
  // Four slow answers may be an exception.
  expect(asked).toEqual([1, 1, 1, 1, 1, 2, 2]);
  expect(alone.map((endpoint) => endpoint.isCooling())).toEqual([true, false]);
  expect(alone.map((endpoint) => endpoint.isHanging())).toEqual([false, false]);
  slowMs = 0;
  vi.setSystemTime(Date.now() + 31_000);
  for (let times = 0; times < 3; times += 1) await ask();
  expect(asked.slice(7)).toContain(1);
});

it('knows an endpoint that took long to fail from one that failed at once', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { identity } = ON_ETHEREUM;
  const fetcher = async (url: RequestInfo | URL): Promise<Response> => {
    if (Number(new URL(String(url)).port) === 1) vi.setSystemTime(Date.now() + 30);
    throw new TypeError('connection reset');
  };
  const urls = [1, 2].map((index) => secret(`http://node:${index}/`));
  const { send, alone } = openEndpoints(urls, identity, fetcher as typeof fetch, 15);
  await expect(send([{ method: 'eth_getBalance', params: [] }])).rejects.toThrow(RpcFault);
  expect(alone.map((endpoint) => endpoint.isCooling())).toEqual([true, true]);
  expect(alone.map((endpoint) => endpoint.isHanging())).toEqual([true, false]);
});
