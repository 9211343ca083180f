import { expect, it } from 'vitest';
import { jsonRpc } from '../../../src/chain/json-rpc.ts';
import { endpointRequestOf, redactUrl } from '../../../src/chain/json-rpc-batch.ts';
import { secret } from '../../../src/lib/secret.ts';

it.each(['https://node.acme.io/v2/key', 'https://node.acme.io/v2/a@b?c=@'])('requests %s as it is', (url) => {
  expect(endpointRequestOf(url)).toEqual({ url, headers: {} });
});

it.each([
  ['https://user:pass@node.acme.io/v2?a=b', 'user:pass', 'https://node.acme.io/v2?a=b'],
  ['https://user@node.acme.io:8545/', 'user:', 'https://node.acme.io:8545/'],
  ['https://:p%40ss%2Fw%C3%B6rd@node.acme.io/', ':p@ss/wörd', 'https://node.acme.io/'],
])('%s is requested without its credentials, which become an authorization header', (given, credentials, url) => {
  const { headers, ...target } = endpointRequestOf(given);
  expect(target).toEqual({ url });
  const [, encoded] = /^Basic (\S+)$/.exec(headers.authorization ?? '') ?? [];
  const bytes = Uint8Array.from(atob(encoded ?? ''), (letter) => letter.charCodeAt(0));
  expect(new TextDecoder().decode(bytes)).toBe(credentials);
});

it('hides the authorization header when a node repeats it', () => {
  const url = 'https://user:pa%20ss@node.acme.io/';
  const { authorization = '' } = endpointRequestOf(url).headers;
  expect(authorization).toMatch(/^Basic /);
  expect(redactUrl(secret(url), `who is ${authorization}?`)).toBe('who is [hidden]?');
});

it('sends the credentials of the endpoint URL with every JSON-RPC request', async () => {
  const asked: Request[] = [];
  const node: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    asked.push(request.clone() as Request);
    const calls = (await request.json()) as { id: number; method: string }[];
    return Response.json(calls.map(({ id, method }) => ({ id, result: method })));
  };
  const identity = { call: { method: 'which chain', params: [] }, isOurChain: () => true, errors: [] };
  const ask = jsonRpc([secret('https://user:pass@node.acme.io/')], identity, node);
  expect(await ask([{ method: 'x', params: [] }])).toEqual([{ result: 'x' }]);
  expect(asked.map(({ url, headers }) => [url, headers.get('authorization'), headers.get('content-type')])).toEqual([
    ['https://node.acme.io/', `Basic ${btoa('user:pass')}`, 'application/json'],
  ]);
});
