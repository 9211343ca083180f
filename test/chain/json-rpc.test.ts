import { describe, expect, it } from 'vitest';
import { jsonRpc, type RpcCall } from '../../src/chain/json-rpc.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { secret } from '../../src/lib/secret.ts';

const A = 'https://a.example/key-1234';
const B = 'https://b.example/key-5678';

type Answer = (calls: { id: number; method: string }[]) => Response | Promise<Response>;

/** Nodes that answer as told, by URL; whoever asks another one gets an error. */
function nodes(answers: Record<string, Answer>) {
  const asked: string[] = [];
  const sizes: number[] = [];
  const fetcher = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const url = String(input);
    const calls = [JSON.parse(String(init?.body))].flat();
    asked.push(url);
    sizes.push(calls.length);
    const answer = answers[url];
    if (answer === undefined) throw new Error(`nobody expected a request to ${url}`);
    return answer(calls);
  };
  return { asked, sizes, fetcher: fetcher as typeof fetch };
}

const echo: Answer = (calls) => Response.json(calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: method })));
const calls = (...methods: string[]): RpcCall[] => methods.map((method) => ({ method, params: [] }));

describe('one endpoint', () => {
  it('answers in the order of the calls, in whatever order the node does', async () => {
    const { fetcher } = nodes({
      [A]: async (sent) => Response.json(((await (await echo(sent)).json()) as unknown[]).reverse()),
    });
    expect(await jsonRpc([secret(A)], fetcher)(calls('x', 'y', 'z'))).toMatchObject([
      { result: 'x' },
      { result: 'y' },
      { result: 'z' },
    ]);
  });

  it('hands on the error of a single call', async () => {
    const { fetcher } = nodes({
      [A]: () =>
        Response.json([
          { jsonrpc: '2.0', id: 0, error: { code: 3, message: 'execution reverted', data: '0x' } },
          { jsonrpc: '2.0', id: 1, result: null },
        ]),
    });
    expect(await jsonRpc([secret(A)], fetcher)(calls('x', 'y'))).toMatchObject([
      { error: { message: 'execution reverted' } },
      { result: null },
    ]);
  });

  it('splits what is too much for one request', async () => {
    const { fetcher, sizes } = nodes({ [A]: echo });
    const many = Array.from({ length: 600 }, (_, index) => `m${index}`);
    const answers = await jsonRpc([secret(A)], fetcher)(calls(...many));
    expect(answers.map((answer) => 'result' in answer && answer.result)).toEqual(many);
    expect(sizes).toEqual([200, 200, 200]);
  });

  it.each([
    ['an error for all', () => Response.json({ error: { code: -32600, message: 'at most 10 calls' } }), 8],
    ['HTTP 400', () => new Response('', { status: 400 }), 8],
    ['HTTP 413', () => new Response('', { status: 413 }), 7],
  ])('learns from %s how much a node takes at once', async (_, refusal, most) => {
    const { fetcher, sizes } = nodes({ [A]: (sent) => (sent.length > 10 ? refusal() : echo(sent)) });
    const rpc = jsonRpc([secret(A)], fetcher);
    const many = Array.from({ length: 60 }, (_each, index) => `m${index}`);
    const answers = await rpc(calls(...many));
    expect(answers.map((answer) => 'result' in answer && answer.result)).toEqual(many);
    expect(sizes.slice(0, 4)).toEqual([60, 30, 15, most]);
    sizes.length = 0;
    await rpc(calls(...many));
    expect(Math.max(...sizes)).toBe(most);
  });

  it('learns how long a request may be, whatever is in it', async () => {
    const { fetcher, sizes } = nodes({
      [A]: (sent) => (JSON.stringify(sent).length > 6_000 ? new Response('', { status: 413 }) : echo(sent)),
    });
    const rpc = jsonRpc([secret(A)], fetcher);
    const long = { method: 'long', params: ['x'.repeat(900)] };
    expect(await rpc(Array(20).fill(long))).toHaveLength(20);
    sizes.length = 0;
    // What is short is not cut into as many pieces for it.
    await rpc(calls(...Array.from({ length: 60 }, () => 'short')));
    expect(sizes).toEqual([60]);
  });

  it('reads the error of a single call, whatever its status', async () => {
    const error = { code: -32000, message: 'nonce too low' };
    const { fetcher } = nodes({ [A]: () => Response.json({ jsonrpc: '2.0', id: 0, error }, { status: 400 }) });
    expect(await jsonRpc([secret(A)], fetcher)(calls('x'))).toMatchObject([{ error }]);
  });

  it('asks a node that takes no batches for one thing after the other', async () => {
    const single: Answer = async (sent) =>
      sent.length > 1
        ? Response.json({ error: { code: -32600, message: 'no batches' } })
        : Response.json({ jsonrpc: '2.0', id: sent[0]?.id, result: sent[0]?.method });
    const { fetcher } = nodes({ [A]: single });
    expect(await jsonRpc([secret(A)], fetcher)(calls('x', 'y'))).toMatchObject([{ result: 'x' }, { result: 'y' }]);
  });

  it.each`
    fault                      | answer
    ${'HTTP 429'}              | ${() => new Response('slow down', { status: 429 })}
    ${'HTTP 503'}              | ${() => new Response('', { status: 503 })}
    ${'not one to every call'} | ${() => new Response('<html>')}
    ${'not one to every call'} | ${() => Response.json([{ id: 0, result: 1 }])}
    ${'not one to every call'} | ${() => Response.json([null, { id: 1 }, 'rubbish'])}
    ${'not one to every call'} | ${() => Response.json([{ id: 0, error: 'text' }, { id: 1, error: 5 }])}
    ${'the rate limit'} | ${() => Response.json([{ id: 0, result: 1 }, { id: 1, error: { code: 429, message: 'slow' } }])}
    ${'the rate limit'}        | ${() => Response.json({ error: { code: -32005, message: 'limit exceeded' } })}
    ${'refused'}               | ${() => new Response('', { status: 400 })}
    ${'no connection'}         | ${() => Promise.reject(new TypeError(`cannot connect to ${A}`))}
  `('is at fault when it answers $fault, and its address stays out of the message', async ({ fault, answer }) => {
    const { fetcher } = nodes({ [A]: answer });
    const failed = await jsonRpc([secret(A)], fetcher)(calls('x', 'y')).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(RpcFault);
    expect(String(failed)).toContain(fault);
    expect(String((failed as Error).stack)).not.toContain('key-1234');
  });
});

describe('two endpoints', () => {
  it('asks the second when the first has reached its rate limit, also when it says so in a 200', async () => {
    const limited: Answer = (sent) =>
      Response.json(sent.map(({ id }) => ({ id, error: { code: -32005, message: 'daily request limit exceeded' } })));
    const { fetcher, asked } = nodes({ [A]: limited, [B]: echo });
    expect(await jsonRpc([secret(A), secret(B)], fetcher)(calls('x', 'y'))).toMatchObject([
      { result: 'x' },
      { result: 'y' },
    ]);
    expect(asked).toEqual([A, B]);
  });

  it('asks the second when the first fails, and leaves the first alone for a while', async () => {
    const { fetcher, asked } = nodes({ [A]: () => new Response('', { status: 500 }), [B]: echo });
    const rpc = jsonRpc([secret(A), secret(B)], fetcher);
    expect(await rpc(calls('x'))).toMatchObject([{ result: 'x' }]);
    expect(await rpc(calls('y'))).toMatchObject([{ result: 'y' }]);
    expect(asked).toEqual([A, B, B]);
  });

  it('asks the one that failed again when nobody else answers', async () => {
    let broken = true;
    const { fetcher, asked } = nodes({
      [A]: (sent) => (broken ? new Response('', { status: 500 }) : echo(sent)),
      [B]: () => new Response('', { status: 500 }),
    });
    const rpc = jsonRpc([secret(A), secret(B)], fetcher);
    await expect(rpc(calls('x'))).rejects.toThrow(RpcFault);
    broken = false;
    expect(await rpc(calls('y'))).toMatchObject([{ result: 'y' }]);
    expect(asked).toEqual([A, B, A]);
  });
});
