import { describe, expect, it, vi } from 'vitest';
import { resultOfError as ethereumRefusalOf } from '../../../src/chain/ethereum/gateway.ts';
import { jsonRpc } from '../../../src/chain/json-rpc.ts';
import { redactUrl } from '../../../src/chain/json-rpc-batch.ts';
import { RpcFault } from '../../../src/chain/port.ts';
import { resultOfError as solanaRefusalOf } from '../../../src/chain/solana/gateway.ts';
import { secret } from '../../../src/lib/secret.ts';

/** Operators, and partly partners, see texts of nodes: without our keys, and of limited length. */

const KEY = 'a81bC32dd04e4f9c';
const PASSWORD = 'pa%2Fss+word';
const URL = `https://user:${PASSWORD}@abc123def456.provider.example/v3/${KEY}/rpc?token=t0k3n-of-ours`;

const encoded = (text: string, times: number): string =>
  times === 0 ? text : encoded(encodeURIComponent(text), times - 1);
const everywhere = (text: string) => text.replace(/./g, (each) => `%${each.charCodeAt(0).toString(16)}`);

describe('the URL of an endpoint in what the endpoint says', () => {
  it.each`
    secret                     | said
    ${'the URL'}               | ${`cannot serve ${URL}`}
    ${'the URL, encoded'}      | ${`cannot serve ${encodeURIComponent(URL)}`}
    ${'… twice'}               | ${`cannot serve ${encodeURIComponent(encodeURIComponent(URL))}`}
    ${'… nine times'}          | ${`cannot serve ${encoded(URL.slice(-40), 9)}`}
    ${'every character of it'} | ${`cannot serve ${everywhere(everywhere(KEY))}`}
    ${'the URL, capitalized'}  | ${`cannot serve ${URL.toUpperCase()}`}
    ${'a key in the path'}     | ${`invalid project id ${KEY}`}
    ${'a key in other case'}   | ${`invalid project id ${KEY.toUpperCase()}`}
    ${'the beginning of it'}   | ${`invalid project id ${KEY.slice(0, 6)}…`}
    ${'the end of it'}         | ${`invalid project id …${KEY.slice(-6)}`}
    ${'a key in the query'}    | ${'t0k3n-of-ours is over its limit'}
    ${'a password'}            | ${'no user with pa/ss+word'}
    ${'a password as it is'}   | ${`no user with ${PASSWORD}`}
    ${'a key in the host'}     | ${'abc123def456 is not active'}
    ${'one beside the other'}  | ${`${KEY}${KEY}t0k3n-of-ours`}
    ${'one hidden by control'} | ${`\u001b]0;${KEY}\u0007`}
  `('hides the secret in what an endpoint says: $secret', ({ said }) => {
    const shown = redactUrl(secret(URL), said);
    expect(shown).toContain('[hidden]');
    const low = shown.toLowerCase();
    for (const part of [KEY, 't0k3n-of', 'pa/ss', 'pa%2fss', 'abc123', 'user:']) {
      for (const piece of [part.slice(0, 6), part.slice(-5)]) expect(low).not.toContain(piece.toLowerCase());
    }
  });

  it.each(['nonce too low: next nonce 7, tx nonce 6', 'insufficient funds for gas * price + value', 'x'.repeat(200)])(
    'shows what an endpoint says without its URL as it is: %s',
    (said) => {
      expect(redactUrl(secret(URL), said)).toBe(said);
    },
  );

  it('shows the words before and after a hidden secret', () => {
    expect(redactUrl(secret(URL), `project ${KEY} has no access to debug_trace`)).toBe(
      'project [hidden] has no access to debug_trace',
    );
  });
});

describe('the length and form of a text from a node', () => {
  it.each`
    said                                        | shown
    ${'a\n{"at":"forged"}'}                     | ${'a {"at":"forged"}'}
    ${'\u001b[31mred\u009b0m'}                  | ${' [31mred 0m'}
    ${'abc\u202edef\u2066\u0000\ud800'}         | ${'abc def '}
    ${`${'y'.repeat(197)}https://node.example`} | ${`${'y'.repeat(197)}[hi`}
    ${'y'.repeat(100_000)}                      | ${'y'.repeat(200)}
    ${`%${'25'.repeat(60_000)}`}                | ${'%2'}
  `('shows what a node says as one short line of plain text (case %#)', ({ said, shown }) => {
    expect(redactUrl(secret('https://node.example'), said)).toBe(shown);
  });

  it('shows what a contract says as one short line of plain text', () => {
    const text = `no\u0000\u202e${'z'.repeat(5_000)}`;
    const bytes = new TextEncoder().encode(text);
    const word = (value: number) => value.toString(16).padStart(64, '0');
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    const data = `0x08c379a0${word(32)}${word(bytes.length)}${hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')}`;
    const refusal = ethereumRefusalOf({ error: { code: 3, message: 'execution reverted', data } });
    const why = `the contract answers an error that the service does not know: 0x08c379a0 no ${'z'.repeat(196)}`;
    expect(refusal).toMatchObject({ type: 'not-now', why });
  });

  it.each([KEY, 'x'.repeat(61), 'two words', '\n'])(
    'calls an error unknown when its name cannot be an error of Solana: %j',
    (name) => {
      expect(solanaRefusalOf(name, [])).toMatchObject({ why: 'the simulation failed: unknown' });
      const why = 'the contract answers an error that the service does not know: unknown';
      expect(solanaRefusalOf({ InstructionError: [0, { [name]: 1 }] }, [])).toMatchObject({ why });
    },
  );
});

describe('the answers of an endpoint', () => {
  const identity = {
    call: { method: 'which', params: [] },
    isOurChain: (result: unknown) => result === 'ours',
    errors: [],
  };
  const endpoint = (answer: (calls: { id: number; method: string }[]) => Response) => {
    const fetcher = vi.fn(async (_: unknown, init?: RequestInit) => answer([JSON.parse(String(init?.body))].flat()));
    return { fetcher, rpc: jsonRpc([secret(URL)], identity, fetcher as unknown as typeof fetch) };
  };
  const CALLS = [{ method: 'x', params: [] }];

  it('returns the error of a call without the URL that the endpoint quotes in it', async () => {
    const message = `project ${KEY} is not allowed to call x, see ${URL}`;
    const { rpc } = endpoint((calls) =>
      Response.json(
        calls.map(({ id, method }) =>
          method === 'which' ? { id, result: 'ours' } : { id, error: { code: -32000, message } },
        ),
      ),
    );
    expect(await rpc(CALLS)).toEqual([
      { error: { code: -32000, message: 'project [hidden] is not allowed to call x, see [hidden]', method: 'x' } },
    ]);
  });

  it('fails without the URL when an endpoint quotes it instead of its chain id', async () => {
    const error = { code: -32000, message: `no project ${KEY}` };
    const { rpc } = endpoint((calls) => Response.json(calls.map(({ id }) => ({ id, error }))));
    await expect(rpc(CALLS)).rejects.toThrow(
      new RpcFault('no endpoint answered: a read failed: which: no project [hidden]'),
    );
  });

  it('fails when an endpoint redirects, and follows with neither the bytes nor the key', async () => {
    const { fetcher, rpc } = endpoint(() => new Response(null, { status: 307, headers: { location: `${URL}2` } }));
    await expect(rpc(CALLS)).rejects.toThrow('no endpoint answered: HTTP 307');
    expect(fetcher.mock.calls.map(([, init]) => init?.redirect)).toEqual(['manual']);
  });

  it('stops reading an answer without end, and asks the endpoint for less', async () => {
    let given = 0;
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          given += 1_000_000;
          controller.enqueue(new Uint8Array(1_000_000).fill(32));
        },
      });
    const { fetcher, rpc } = endpoint(() => new Response(endless()));
    await expect(rpc(CALLS)).rejects.toThrow('the call was refused');
    expect(fetcher).toHaveBeenCalledTimes(2);
    expect(given).toBeLessThan(10_000_000);
  });

  it('asks an endpoint with long answers for fewer calls at a time until it has the answers to 199 calls', async () => {
    const result = 'x'.repeat(350_000);
    const { rpc } = endpoint((calls) =>
      Response.json(calls.map(({ id, method }) => ({ id, result: method === 'which' ? 'ours' : result }))),
    );
    const blocks = Array.from({ length: 199 }, () => ({ method: 'block', params: [] }));
    expect(await rpc(blocks)).toEqual(blocks.map(() => ({ result })));
  });

  it('accepts a result with an error of null beside it', async () => {
    const { rpc } = endpoint((calls) => Response.json(calls.map(({ id }) => ({ id, result: 'ours', error: null }))));
    expect(await rpc(CALLS)).toEqual([{ result: 'ours' }]);
  });
});
