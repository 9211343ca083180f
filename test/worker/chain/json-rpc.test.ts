import { afterEach, describe, expect, it, vi } from 'vitest';
import { ETHEREUM_ERRORS } from '../../../src/chain/ethereum/node-answers.ts';
import { type Identity, jsonRpc } from '../../../src/chain/json-rpc.ts';
import type { RpcCall } from '../../../src/chain/json-rpc-batch.ts';
import { RpcFault } from '../../../src/chain/port.ts';
import { SOLANA_ERRORS } from '../../../src/chain/solana/node-answers.ts';
import { secret } from '../../../src/lib/secret.ts';
import { withOwnTimers } from '../own-timers.ts';

const A = 'https://a.example/key-1234';
const B = 'https://b.example/key-5678';

type Asked = { id: number; method: string }[];
type Answer = (calls: Asked, signal: AbortSignal) => Response | Promise<Response>;

/** Nodes with set answers, by URL. Any other URL fails. */
function nodes(answers: Record<string, Answer>) {
  const asked: string[] = [];
  const sizes: number[] = [];
  const bodies: string[] = [];
  const fetcher = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const url = String(input);
    const calls = [JSON.parse(String(init?.body))].flat();
    asked.push(url);
    sizes.push(calls.length);
    bodies.push(String(init?.body));
    const answer = answers[url];
    if (answer === undefined) throw new Error(`nobody expected a request to ${url}`);
    return answer(calls, init?.signal as AbortSignal);
  };
  return { asked, sizes, bodies, fetcher: fetcher as typeof fetch };
}

const identity: Identity = {
  call: { method: 'which chain', params: [] },
  isOurChain: (result) => result === 'which chain',
  errors: [...SOLANA_ERRORS, ...ETHEREUM_ERRORS],
};
const rpcTo = (fetcher: typeof fetch, ...urls: string[]) => jsonRpc(urls.map(secret), identity, fetcher);

const echo: Answer = (calls) => Response.json(calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: method })));
/** Like `echo`, with the test's answers to some methods. */
const echoBut = (others: Record<string, object>): Answer => {
  return (calls) => Response.json(calls.map(({ id, method }) => ({ id, ...(others[method] ?? { result: method }) })));
};
const calls = (...methods: string[]): RpcCall[] => methods.map((method) => ({ method, params: [] }));
const many = Array.from({ length: 60 }, (_, index) => `m${index}`);
const results = (answers: readonly object[]) => answers.map((answer) => 'result' in answer && answer.result);

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('a single endpoint', () => {
  it('returns the error of a single call beside the results of the others', async () => {
    const error = { code: 3, message: 'execution reverted', data: '0x' };
    const { fetcher } = nodes({ [A]: echoBut({ x: { error } }) });
    expect(await rpcTo(fetcher, A)(calls('x', 'y'))).toMatchObject([{ error }, { result: 'y' }]);
  });

  it('splits a batch that is too long for one request, and sends three parts at a time', async () => {
    let open = 0;
    const opened: number[] = [];
    const slowly: Answer = async (sent, signal) => {
      opened.push(++open);
      await new Promise((resolve) => setTimeout(resolve, 20)).then(() => open--);
      return echo(sent, signal);
    };
    const { fetcher, sizes } = nodes({ [A]: slowly });
    const crowd = Array.from({ length: 790 }, (_, index) => `m${index}`);
    expect(results(await rpcTo(fetcher, A)(calls(...crowd)))).toEqual(crowd);
    // Each asks for the chain.
    expect([...sizes, ...opened]).toEqual([200, 200, 200, 194, 1, 2, 3, 1]);
  });

  it.each([
    ['an error for all', () => Response.json({ error: { code: -32600, message: 'at most 10 calls' } }), 8],
    ['HTTP 400', () => new Response('', { status: 400 }), 8],
    ['HTTP 413', () => new Response('', { status: 413 }), 7],
  ])('learns from %s how many calls a node takes at once', async (_, refusal, most) => {
    const { fetcher, sizes } = nodes({ [A]: (sent, signal) => (sent.length > 10 ? refusal() : echo(sent, signal)) });
    const rpc = rpcTo(fetcher, A);
    expect(results(await rpc(calls(...many)))).toEqual(many);
    sizes.length = 0;
    expect(results(await rpc(calls(...many)))).toEqual(many);
    expect(Math.max(...sizes)).toBe(most);
  });

  it('learns how long a request may be, and still sends many short calls in one request', async () => {
    const { fetcher, sizes } = nodes({
      [A]: (sent, signal) =>
        JSON.stringify(sent).length > 6_000 ? new Response('', { status: 413 }) : echo(sent, signal),
    });
    const rpc = rpcTo(fetcher, A);
    const long = { method: 'long', params: ['x'.repeat(900)] };
    expect(await rpc(Array(20).fill(long))).toHaveLength(20);
    sizes.length = 0;
    // Short batches are not split into as many parts.
    await rpc(calls(...many));
    expect(sizes).toEqual([61]);
  });

  it('returns the error of a single call that arrives with HTTP 400', async () => {
    const error = { code: -32000, message: 'nonce too low' };
    const single: Answer = ([call], signal) =>
      call?.method === 'x' ? Response.json({ id: call.id, error }, { status: 400 }) : alone([call as Asked[0]], signal);
    const { fetcher } = nodes({ [A]: single });
    expect(await rpcTo(fetcher, A)(calls('x'))).toMatchObject([{ error }]);
  });

  it('asks a node that takes no batches for one call after the other, and for its chain first', async () => {
    const { fetcher, bodies } = nodes({ [A]: alone });
    const rpc = rpcTo(fetcher, A);
    expect(await rpc(calls('x', 'y'))).toMatchObject([{ result: 'x' }, { result: 'y' }]);
    bodies.length = 0;
    await rpc(calls('x', 'y'));
    expect(bodies.map((body) => JSON.parse(body).method)).toEqual(['which chain', 'x', 'y']);
  });
});

/** A node that accepts no batches. */
const alone: Answer = (sent) =>
  sent.length > 1
    ? Response.json({ error: { code: -32600, message: 'no batches' } })
    : Response.json({ jsonrpc: '2.0', id: sent[0]?.id, result: sent[0]?.method });

const cut = (of: number): Answer => {
  return async (sent, signal) => Response.json(((await (await echo(sent, signal)).json()) as unknown[]).slice(0, of));
};

describe.each`
  fault                                   | says                            | code               | answer
  ${'connection refused'}                 | ${'no connection'}              | ${'no-connection'} | ${() => Promise.reject(new TypeError(`connection to ${A} refused`))}
  ${'connection reset'}                   | ${'no connection'}              | ${'no-connection'} | ${() => Promise.reject(new Error('Network connection lost.'))}
  ${'reset in mid-answer'}                | ${'no connection'}              | ${'no-connection'} | ${() => new Response(resetting())}
  ${'HTTP 429'}                           | ${'HTTP 429'}                   | ${'rate-limit'}    | ${() => new Response('slow down', { status: 429 })}
  ${'a rate limit in a 200'}              | ${'the rate limit'}             | ${'rate-limit'}    | ${echoBut({ y: { error: { code: -32005, message: 'daily limit' } } })}
  ${'a rate limit for all in a 200'}      | ${'the rate limit'}             | ${'rate-limit'}    | ${() => Response.json({ error: { code: 429, message: 'slow' } })}
  ${'HTTP 500'}                           | ${'HTTP 500'}                   | ${'other'}         | ${() => new Response('', { status: 500 })}
  ${'HTTP 503'}                           | ${'HTTP 503'}                   | ${'other'}         | ${() => new Response('', { status: 503 })}
  ${'HTTP 302'}                           | ${'HTTP 302'}                   | ${'redirect'}      | ${() => new Response('', { status: 302 })}
  ${'HTTP 401'}                           | ${'HTTP 401'}                   | ${'unauthorized'}  | ${() => new Response('', { status: 401 })}
  ${'HTTP 403'}                           | ${'HTTP 403'}                   | ${'unauthorized'}  | ${() => new Response('', { status: 403 })}
  ${'HTTP 404'}                           | ${'HTTP 404'}                   | ${'not-found'}     | ${() => new Response('', { status: 404 })}
  ${'every request refused'}              | ${'refused'}                    | ${'other'}         | ${() => new Response('', { status: 400 })}
  ${'malformed JSON'}                     | ${'lacks the result of a call'} | ${'other'}         | ${() => new Response('[{"id":0,"result"')}
  ${'a page instead of JSON'}             | ${'lacks the result of a call'} | ${'other'}         | ${() => new Response('<html>')}
  ${'a batch of rubbish'}                 | ${'lacks the result of a call'} | ${'other'}         | ${() => Response.json([null, { id: 1 }, 'rubbish'])}
  ${'nothing but empty batches'}          | ${'lacks the result of a call'} | ${'other'}         | ${cut(0)}
  ${'no history'}                         | ${'no history'}                 | ${'no-history'}    | ${echoBut({ x: { error: { code: -32011, message: 'no history' } } })}
  ${'the wrong chain id'}                 | ${'another chain'}              | ${'another-chain'} | ${echoBut({ 'which chain': { result: 'another' } })}
  ${'an error instead of its chain id'}   | ${'a read failed'}              | ${'other'}         | ${echoBut({ 'which chain': { error: { code: -32601, message: 'what?' } } })}
  ${'the wrong chain id, and no batches'} | ${'another chain'}              | ${'another-chain'} | ${strangeAlone}
`('an endpoint with $fault', ({ says, code, answer }) => {
  it('an endpoint with a fault makes the call fail with an RpcFault that hides its URL', async () => {
    const { fetcher } = nodes({ [A]: answer });
    const failed = await rpcTo(fetcher, A)(calls('x', 'y')).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(RpcFault);
    expect(failed).toMatchObject({ codes: [code] });
    expect(String(failed)).toContain(says);
    expect(String((failed as Error).stack)).not.toContain('key-1234');
  });

  it('an endpoint with a fault has its code beside those of other endpoints', async () => {
    const { fetcher } = nodes({ [A]: answer, [B]: () => new Response('', { status: 503 }) });
    await expect(rpcTo(fetcher, A, B)(calls('x', 'y'))).rejects.toMatchObject({ codes: [code, 'other'] });
  });

  it('an endpoint with a fault is skipped for a while, and the next one gets the same calls', async () => {
    const { fetcher, asked, bodies } = nodes({ [A]: answer, [B]: echo });
    const rpc = rpcTo(fetcher, A, B);
    expect(await rpc(calls('x', 'y'))).toMatchObject([{ result: 'x' }, { result: 'y' }]);
    expect(bodies.at(-1)).toBe(bodies[0]);
    asked.length = 0;
    expect(await rpc(calls('z'))).toMatchObject([{ result: 'z' }]);
    expect(asked).toEqual([B]);
  });
});

function strangeAlone(sent: Asked, signal: AbortSignal) {
  if (sent[0]?.method !== 'which chain' || sent.length > 1) return alone(sent, signal);
  return Response.json({ id: sent[0].id, result: 'another' });
}

/** Sends half an answer, and then nothing. */
function resetting(): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('[{"id":0,'));
      controller.error(new Error('Network connection lost.'));
    },
  });
}

describe('several endpoints', () => {
  it('a batch answered out of order is put into the order of its calls', async () => {
    const reversed: Answer = async (sent, signal) =>
      Response.json(((await (await echo(sent, signal)).json()) as unknown[]).reverse());
    const { fetcher, asked } = nodes({ [A]: reversed });
    expect(results(await rpcTo(fetcher, A, B)(calls('x', 'y', 'z')))).toEqual(['x', 'y', 'z']);
    expect(asked).toEqual([A]);
  });

  it('an endpoint that hangs is given up after 10 seconds, and the next one is asked', async () => {
    const aborted: boolean[] = [];
    const hangs: Answer = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        for (const ms of [9_999, 1]) {
          vi.advanceTimersByTime(ms);
          aborted.push(signal.aborted);
        }
      });
    const { fetcher, asked } = nodes({ [A]: hangs, [B]: echo });
    await withOwnTimers(async () => {
      expect(await rpcTo(fetcher, A, B)(calls('x'))).toMatchObject([{ result: 'x' }]);
      expect(vi.getTimerCount()).toBe(0);
    });
    expect(asked).toEqual([A, B]);
    expect(aborted).toEqual([false, true]);
  });

  it('a lost answer to a broadcast makes the same bytes go to the next endpoint', async () => {
    const taken: string[] = [];
    const takes: Answer = (sent, signal) => {
      taken.push(JSON.stringify(sent.map((call) => ({ ...call, id: undefined }))));
      return echo(sent, signal);
    };
    const loses: Answer = async (sent, signal) => {
      await takes(sent, signal);
      throw new Error('Network connection lost.');
    };
    const { fetcher } = nodes({ [A]: loses, [B]: takes });
    const send = [{ method: 'eth_sendRawTransaction', params: ['0x02bytes'] }];
    expect(await rpcTo(fetcher, A, B)(send)).toHaveLength(1);
    expect(taken.at(-1)).toBe(taken[0]);
    expect(taken[0]).toContain('0x02bytes');
  });

  it('a failed endpoint is asked again 30 seconds after its failure, however long the failure took', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    try {
      let broken = true;
      const heals: Answer = (sent, signal) => {
        if (!broken) return echo(sent, signal);
        // The batch, and then a single call.
        if (sent.length === 1) vi.setSystemTime(9_000);
        return new Response('', { status: 500 });
      };
      const { fetcher, asked } = nodes({ [A]: heals, [B]: echo });
      const rpc = rpcTo(fetcher, A, B);
      await rpc(calls('x'));
      broken = false;
      vi.setSystemTime(38_999);
      await rpc(calls('x'));
      vi.setSystemTime(39_000);
      await rpc(calls('x'));
      expect(asked).toEqual([A, A, B, B, A]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('a failed endpoint is asked again at once when no other endpoint answers', async () => {
    let broken = true;
    const { fetcher, asked } = nodes({
      [A]: (sent, signal) => (broken ? new Response('', { status: 500 }) : echo(sent, signal)),
      [B]: () => new Response('', { status: 500 }),
    });
    const rpc = rpcTo(fetcher, A, B);
    await expect(rpc(calls('x'))).rejects.toThrow(RpcFault);
    broken = false;
    expect(await rpc(calls('y'))).toMatchObject([{ result: 'y' }]);
    expect(asked).toEqual([A, A, B, B, A]);
  });
});
