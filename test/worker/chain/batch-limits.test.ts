import { afterEach, describe, expect, it, vi } from 'vitest';
import { ETHEREUM_ERRORS } from '../../../src/chain/ethereum/node-answers.ts';
import { type Identity, openEndpoints } from '../../../src/chain/json-rpc.ts';
import type { RpcCall } from '../../../src/chain/json-rpc-batch.ts';
import { RpcFault } from '../../../src/chain/port.ts';
import { SOLANA_ERRORS } from '../../../src/chain/solana/node-answers.ts';
import { secret } from '../../../src/lib/secret.ts';

/** How the service finds the size of the batches that an endpoint takes, and which calls go to the next endpoint. */

type Asked = readonly { readonly id: number; readonly method: string }[];
type Node = (calls: Asked) => Response | Promise<Response>;

const identity: Identity = {
  call: { method: 'chain', params: [] },
  isOurChain: (result) => result === 'chain',
  errors: ETHEREUM_ERRORS,
};
const answersTo = (calls: Asked) => calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: method }));
const echo: Node = (calls) => Response.json(calls.length === 1 ? answersTo(calls)[0] : answersTo(calls));
const refusal = (id: unknown, code = -32600) => ({ jsonrpc: '2.0', id, error: { code, message: 'batch too large' } });
const named = (count: number, prefix = 'm'): RpcCall[] =>
  Array.from({ length: count }, (_, index) => ({ method: `${prefix}${index}`, params: [] }));

const lateError = () => new DOMException('The operation timed out', 'TimeoutError');

/** Endpoints in order of preference, with the sizes of the requests that each received. */
const endpointsOf = (...nodes: Node[]) => endpointsOn(ETHEREUM_ERRORS, ...nodes);

/** The same on a chain whose nodes have other errors. */
function endpointsOn(errors: Identity['errors'], ...nodes: Node[]) {
  const sizes: number[][] = nodes.map(() => []);
  const asked: string[][] = nodes.map(() => []);
  const fetcher = async (url: RequestInfo | URL, init?: RequestInit) => {
    const index = Number(new URL(String(url)).port) - 1;
    const calls = [JSON.parse(String(init?.body))].flat() as Asked;
    sizes[index]?.push(calls.length);
    asked[index]?.push(...calls.map(({ method }) => method));
    return (nodes[index] as Node)(calls);
  };
  const urls = nodes.map((_, index) => secret(`http://node:${index + 1}/`));
  return { ...openEndpoints(urls, { ...identity, errors }, fetcher as typeof fetch), sizes, asked };
}

const above =
  (limit: number, refuse: Node): Node =>
  (calls) =>
    calls.length > limit ? refuse(calls) : echo(calls);

const withStatus =
  (status: number): Node =>
  () =>
    Response.json(refusal(null, 31), { status });
const REFUSALS: readonly [string, (limit: number) => Node][] = [
  [
    'an array of one error with the id of the first call',
    () =>
      ([first]) =>
        Response.json([refusal(first?.id)]),
  ],
  ['an array of one error with the id null', () => () => Response.json([refusal(null)])],
  ...[200, 400, 413, 429, 500, 503].map((status): [string, () => Node] => [
    `an error object with status ${status}`,
    () => withStatus(status),
  ]),
  ['an error for each call', () => (calls) => Response.json(calls.map(({ id }) => refusal(id)))],
  ['a rate limit for each call', () => (calls) => Response.json(calls.map(({ id }) => refusal(id, -32005)))],
  [
    'errors from some call on',
    (limit) => (calls) =>
      Response.json(answersTo(calls).map((answer, index) => (index < limit ? answer : refusal(answer.id, -32003)))),
  ],
  [
    'invalid parameters from some call on, because of the batch',
    (limit) => (calls) =>
      Response.json(answersTo(calls).map((answer, index) => (index < limit ? answer : refusal(answer.id, -32602)))),
  ],
  ['answers to the first calls only', (limit) => (calls) => Response.json(answersTo(calls).slice(0, limit))],
  ['plain text', () => () => new Response('Batch size exceeded')],
  ['a dropped connection', () => () => Promise.reject(new Error('Network connection lost.'))],
];

afterEach(() => {
  vi.useRealTimers();
});

describe.each(REFUSALS)('an endpoint that refuses batches with %s', (_, refuse) => {
  it.each([
    [60, 1],
    [60, 3],
    [400, 10],
    [400, 100],
  ])('answers all of %d calls with a limit of %d, and keeps the size', async (count, limit) => {
    const { send, sizes } = endpointsOf(above(limit, refuse(limit)));
    const calls = named(count);
    const expected = calls.map(({ method }) => ({ result: method }));
    expect(await send(calls)).toEqual(expected);
    const learned = sizes[0]?.length ?? 0;
    expect(await send(calls)).toEqual(expected);
    const later = sizes[0]?.slice(learned) ?? [];
    expect(Math.max(...later)).toBeLessThanOrEqual(limit);
    // Halving costs few requests, once.
    expect(learned - later.length).toBeLessThanOrEqual(16);
  });
});

describe('the learned size of batches', () => {
  it('grows again: half a minute later the endpoint gets twice as many calls, and then twice as many again', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    let limit = 10;
    const { send, sizes } = endpointsOf((calls) => above(limit, withStatus(500))(calls));
    const largest = async () => {
      sizes[0]?.splice(0);
      await send(named(400));
      return Math.max(...(sizes[0] ?? []));
    };
    await largest();
    const learned = await largest();
    expect(learned).toBeGreaterThan(5);
    limit = 1_000;
    expect(await largest()).toBe(learned);
    vi.setSystemTime(40_000);
    const grown = await largest();
    expect(grown).toBeGreaterThanOrEqual(2 * learned);
    expect(await largest()).toBeGreaterThan(grown);
    expect(await largest()).toBe(200);
  });

  it('is tried less and less often, up to ten minutes, while the endpoint refuses the larger one', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const { send, sizes } = endpointsOf(above(10, withStatus(429)));
    const largerOnes: number[] = [];
    for (let second = 0; second < 7_200; second += 10) {
      vi.setSystemTime(second * 1_000);
      sizes[0]?.splice(0);
      await send(named(20));
      if (sizes[0]?.some((size) => size > 10)) largerOnes.push(second);
    }
    const pauses = largerOnes.slice(1).map((second, index) => second - (largerOnes[index] as number));
    expect(pauses[0]).toBeLessThanOrEqual(60);
    expect(pauses.at(-1)).toBeGreaterThan(300);
    expect(largerOnes.length).toBeLessThan(25);
  });

  it('stays as it is after one dropped connection for more than half a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    let drops = true;
    const { send, sizes } = endpointsOf((calls) => {
      const dropped = drops;
      drops = false;
      return dropped ? Promise.reject(new Error('Network connection lost.')) : echo(calls);
    });
    await send(named(1));
    expect(sizes[0]).toEqual([2, 1, 1]);
    vi.setSystemTime(40_000);
    for (const _ of [1, 2, 3, 4]) await send(named(150));
    expect(sizes[0]?.at(-1)).toBe(151);
  });

  it('stays as it is when a single call is the trouble', async () => {
    const bad: Node = (calls) => {
      const answers = answersTo(calls).map((answer) => (answer.result === 'm57' ? refusal(answer.id, 30) : answer));
      return Response.json(calls.length === 1 ? answers[0] : answers);
    };
    const { send, sizes } = endpointsOf(bad);
    expect((await send(named(199)))[57]).toMatchObject({ error: { code: 30 } });
    expect(sizes[0]).toEqual([200, 1]);
    await send(named(100, 'other'));
    expect(sizes[0]?.at(-1)).toBe(101);
  });
});

describe('the work for an endpoint that does not answer', () => {
  it.each([
    ['is away', () => Promise.reject(new TypeError('connection refused'))],
    [
      'answers 429 to single calls too',
      () => Response.json(refusal(null, 429), { status: 429, headers: { 'retry-after': '60' } }),
    ],
    ['answers 500 to single calls too', () => new Response('', { status: 500 })],
    [
      'limits each call',
      (calls: Asked) =>
        Response.json(calls.length === 1 ? refusal(0, -32005) : calls.map(({ id }) => refusal(id, -32005))),
    ],
  ] satisfies [string, Node][])('is two requests for 400 calls and three parts when it %s', async (_, node) => {
    const { send, sizes } = endpointsOf(node);
    await expect(send(named(400))).rejects.toThrow(RpcFault);
    // Three parts go out at once. Then a single call shows that the size is not the reason.
    expect(sizes[0]).toEqual([200, 200, 3, 1]);
  });

  it('is bounded when every call but the first one is refused', async () => {
    const node: Node = (calls) => {
      const answers = answersTo(calls).map((answer) =>
        answer.result === 'chain' ? answer : refusal(answer.id, -32603),
      );
      return Response.json(calls.length === 1 ? answers[0] : answers);
    };
    const { send, sizes } = endpointsOf(node, echo);
    const calls = named(400);
    expect(await send(calls)).toEqual(calls.map(({ method }) => ({ result: method })));
    expect(sizes[0]?.length).toBeLessThanOrEqual(16);
  });

  it.each<[string, () => ReadableStream]>([
    ['begins no answer', () => new ReadableStream({ start: (body) => body.error(lateError()) })],
    [
      'begins an answer and does not end it',
      () => {
        let isBegun = false;
        return new ReadableStream({
          pull(body) {
            if (isBegun) body.error(lateError());
            else body.enqueue(new TextEncoder().encode('['));
            isBegun = true;
          },
        });
      },
    ],
  ])('is one request when it %s in time, because it would hang for each smaller batch too', async (_, stall) => {
    const node: Node = (calls) => (calls.length === 1 ? echo(calls) : new Response(stall()));
    const { send, sizes } = endpointsOf(node);
    await expect(send(named(100))).rejects.toThrow('no answer in time');
    expect(sizes[0]).toEqual([101]);
  });

  it('ends when the last call that a batch lacked is refused alone and further calls wait', async () => {
    let now = 0;
    // A loop without requests reaches the end of the time too.
    vi.spyOn(Date, 'now').mockImplementation(() => ++now);
    let node = above(8, withStatus(500));
    const { send } = endpointsOf((calls) => node(calls));
    await send(named(60));
    now += 60_000;
    // The batch of twice that size gets half of its answers, and the smaller ones all but the first one.
    node = (calls) => {
      const lacks = (method: string, index: number) => method === 'm0' || (calls.length === 16 && index < 10);
      const isFirst = calls.some(({ method }) => method === 'm0');
      const answers = answersTo(calls).map((answer, index) =>
        isFirst && answer.result !== 'chain' && lacks(answer.result, index) ? refusal(answer.id, -32603) : answer,
      );
      return Response.json(calls.length === 1 ? answers[0] : answers);
    };
    const answers = await send(named(100));
    vi.restoreAllMocks();
    expect(answers.flatMap((answer, index) => ('error' in answer ? [index] : []))).toEqual([0]);
  });

  it('is not repeated for each list while some calls are always refused', async () => {
    const isBad = (method: string) => ['m1', 'm2', 'm3'].includes(method);
    const node: Node = (calls) => {
      const answers = answersTo(calls).map((answer, index) =>
        index >= 100 || isBad(answer.result) ? refusal(answer.id, -32603) : answer,
      );
      return Response.json(calls.length === 1 ? answers[0] : answers);
    };
    const { send } = endpointsOf(node);
    await send(named(300));
    const answers = await send(named(300));
    expect(answers.filter((answer) => 'error' in answer)).toHaveLength(3);
  });

  it('never uses results of a batch that does not show the chain', async () => {
    const node: Node = (calls) => {
      if (calls.length === 1) return calls[0]?.method === 'chain' ? echo(calls) : Response.json(refusal(0));
      return Response.json(calls.map(({ id, method }) => (method === 'chain' ? refusal(id) : { id, result: 'other' })));
    };
    const { send } = endpointsOf(node);
    const answers = await send(named(6));
    expect(answers).toEqual(answers.map(() => ({ error: expect.anything() })));
  });

  it('ends after two minutes when each answer takes long', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const slow: Node = (calls) => {
      vi.setSystemTime(Date.now() + 9_000);
      return above(1, withStatus(500))(calls);
    };
    const { send, sizes } = endpointsOf(slow);
    await expect(send(named(400))).rejects.toThrow('it answers too slowly');
    expect(sizes[0]?.length).toBeLessThan(25);
  });
});

describe('a call that an endpoint does not answer', () => {
  const only =
    (method: string, error: object): Node =>
    (calls) => {
      const answers = answersTo(calls).map(({ id, result }) => (result === method ? { id, error } : { id, result }));
      return Response.json(calls.length === 1 ? answers[0] : answers);
    };

  it.each`
    code       | message
    ${30}      | ${'Request timeout on the free tier'}
    ${-32001}  | ${'resource not found'}
    ${-32002}  | ${'resource unavailable'}
    ${-32003}  | ${'response too large'}
    ${-32004}  | ${'method not supported'}
    ${-32006}  | ${'version not supported'}
    ${-32007}  | ${'batch limit'}
    ${-32000}  | ${'header not found'}
    ${-32000}  | ${'missing trie node 00aa'}
    ${-32000}  | ${'transaction indexing is in progress'}
    ${-32000}  | ${'execution timeout'}
    ${-32000}  | ${'out of gas'}
    ${-32603}  | ${'Internal error'}
    ${-39001}  | ${'Unknown block'}
    ${-32_099} | ${'any other error'}
  `('goes to the next endpoint, and only that call: $code $message', async ({ code, message }) => {
    const { send, asked } = endpointsOf(only('m1', { code, message }), echo);
    expect(await send(named(3))).toEqual(named(3).map(({ method }) => ({ result: method })));
    expect(asked[1]).toEqual(['chain', 'm1']);
  });

  it.each`
    code       | message                                   | limits
    ${15}      | ${'Too many request, try again later'}    | ${'by code'}
    ${-32005}  | ${'limit exceeded'}                       | ${'by code'}
    ${-32_097} | ${'your app has exceeded its rate limit'} | ${'by text'}
  `(
    'goes to the next endpoint with all others when the error means that the endpoint is busy: $code',
    async ({ code, message }) => {
      const { send, asked } = endpointsOf(only('m1', { code, message }), echo);
      expect(await send(named(3))).toEqual(named(3).map(({ method }) => ({ result: method })));
      expect(asked[1]).toEqual(['chain', 'm0', 'm1', 'm2']);
    },
  );

  it.each`
    error                                                                      | what
    ${{ code: 3, message: 'execution reverted', data: '0x08c379a0' }}          | ${'a revert with its data'}
    ${{ code: -32000, message: 'execution reverted' }}                         | ${'a revert without data'}
    ${{ code: -32015, message: 'VM execution error', data: 'Reverted 0x' }}    | ${'a revert of another client'}
    ${{ code: -32603, message: 'error', data: { data: '0x08c379a0' } }}        | ${'a revert with nested data'}
    ${{ code: -32000, message: 'nonce too low' }}                              | ${'a verdict on a transaction'}
    ${{ code: -32000, message: 'already known' }}                              | ${'a known transaction'}
    ${{ code: -32003, message: 'Insufficient funds for gas * price + value' }} | ${'missing funds'}
  `('does not include $what: that error is the answer', async ({ error }) => {
    const { send, asked } = endpointsOf(only('m1', error), echo);
    expect((await send(named(3)))[1]).toEqual({ error: { ...error, method: 'm1' } });
    expect(asked[1]).toEqual([]);
  });

  it('is one that another endpoint gets, or its own answer, as the chain has it', async () => {
    const answerOf = async (errors: Identity['errors'], error: object) => {
      const { send, asked, sizes } = endpointsOn(errors, only('m1', error), echo);
      await send(named(3));
      return { next: asked[1], sizes: sizes[0] };
    };
    const [own, another] = [
      { next: [], sizes: [4] },
      { next: ['chain', 'm1'], sizes: [4] },
    ];
    const version = { code: -32015, message: 'Transaction version (2) is not supported by the requesting client' };
    expect(await answerOf(ETHEREUM_ERRORS, version)).toEqual(own);
    expect(await answerOf(SOLANA_ERRORS, version)).toEqual(another);
    const failed = { code: -32002, message: 'simulation failed', data: { err: 'AccountNotFound' } };
    expect(await answerOf(SOLANA_ERRORS, failed)).toEqual(own);
    const reverted = { code: 3, message: 'execution reverted' };
    expect(await answerOf(ETHEREUM_ERRORS, reverted)).toEqual(own);
    expect((await answerOf(SOLANA_ERRORS, reverted)).next).toEqual(['chain', 'm1']);
  });

  it('fails the calls only if it is needed and no endpoint answers it', async () => {
    const error = { code: -32603, message: 'Internal error' };
    const { send } = endpointsOf(only('m1', error), only('m1', error));
    expect(await send(named(2))).toEqual([{ result: 'm0' }, { error: { ...error, method: 'm1' } }]);
    const needed = named(2).map((call) => ({ ...call, needed: true }));
    await expect(send(needed)).rejects.toThrow('no endpoint answered: a read failed: m1: Internal error');
  });

  it.each([
    ['a text', 'the service is busy', 'the service is busy'],
    ['an object without a message', { code: -32_000 }, 'an error without a message'],
    ['a number', 5, '5'],
  ])('has an error that is %s: the other calls are answered', async (_, error, message) => {
    const { send } = endpointsOf(only('m1', error as never));
    const [first, second, third] = await send(named(3));
    expect([first, third]).toEqual([{ result: 'm0' }, { result: 'm2' }]);
    expect(second).toMatchObject({ error: { message, method: 'm1' } });
  });

  it('is logged once with the network, the endpoint and the method, and without the URL', async () => {
    const lines = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    const { alone } = endpointsOf(only('m1', { code: 30, message: 'see http://node:1/' }), echo);
    for (const _ of [1, 2]) await alone[0]?.send(named(2));
    const logged = lines.mock.calls.map(([line]) => JSON.parse(String(line)));
    lines.mockRestore();
    expect(logged).toEqual([
      { event: 'endpoint.call_refused', endpoint: 1, endpoints: 2, method: 'm1', code: 30, error: 'see [hidden]' },
    ]);
  });

  it('is answered with ids as text', async () => {
    const texts: Node = async (calls) => {
      const answers = answersTo(calls).map(({ id, result }) => ({ id: String(id), result }));
      return Response.json(calls.length === 1 ? answers[0] : answers);
    };
    const { send, sizes } = endpointsOf(texts);
    expect(await send(named(3))).toEqual(named(3).map(({ method }) => ({ result: method })));
    expect(sizes).toEqual([[4]]);
  });
});
