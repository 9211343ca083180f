import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { base58 } from '@scure/base';
import { beforeEach, expect, it } from 'vitest';
import { Canary } from './canary.ts';

const KEY = Buffer.from('59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d', 'hex');
const TOKEN = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhY21lIn0.c2lnbmF0dXJlLW9mLWEtdG9rZW4tb2YtYWNtZQ';

let canary: Canary;

beforeEach(() => {
  canary = new Canary();
  canary.plant('a key', KEY);
  canary.plant('a password', 'p/ss word');
});

/** The names of the secrets that the canary finds. */
const foundSecrets = async () => [...new Set((await canary.findLeaks()).map((leak) => leak.split(':')[0]))];

it.each`
  encoding                | line
  ${'hex'}                | ${`key=0x${KEY.toString('hex')}.`}
  ${'capital hex'}        | ${KEY.toString('hex').toUpperCase()}
  ${'base64'}             | ${`{"key":"${KEY.toString('base64')}"}`}
  ${'base64url'}          | ${KEY.toString('base64url')}
  ${'base58'}             | ${`(${base58.encode(KEY)})`}
  ${'a list of numbers'}  | ${JSON.stringify([...KEY])}
  ${'numbers with space'} | ${`Uint8Array(32) [ ${[...KEY].join(', ')} ]`}
`('the canary finds a key that a line contains as $encoding', async ({ line }) => {
  canary.addLine('nothing to find');
  expect(await foundSecrets()).toEqual([]);
  canary.addLine(line);
  expect(await foundSecrets()).toEqual(['a key']);
});

it.each(['p/ss word', 'P%2FSS%20word', 'http://user:p/ss word@node'])(
  'the canary finds a password in the line "%s"',
  async (line) => {
    canary.addLine(line);
    expect(await foundSecrets()).toEqual(['a password']);
  },
);

it('the canary finds signed bytes, whole and cut off, and ignores the identifier of the transaction', async () => {
  const bytes = Buffer.from(Array.from({ length: 200 }, (_, index) => (index * 37) % 256));
  const onSolana = bytes.toString('base64');
  canary.plantSigned(`0x${bytes.toString('hex')}`);
  canary.addLine(base58.encode(bytes.subarray(1, 65)));
  expect(await foundSecrets()).toEqual([]);
  canary.addLine(`refused: 0x${bytes.subarray(90).toString('hex')}`);
  expect(await foundSecrets()).toEqual(['signed bytes']);
  canary.addLine(onSolana);
  expect((await canary.findLeaks()).length).toBeGreaterThan(1);
});

it.each`
  part                     | says
  ${'the body'}            | ${(signature: string) => ({ body: JSON.stringify({ detail: signature }) })}
  ${'a header'}            | ${(signature: string) => ({ headers: { 'x-token': `of ${signature}` } })}
  ${'the status line'}     | ${(signature: string) => ({ statusText: signature })}
  ${'an error, in pieces'} | ${(signature: string) => ({ status: 500, body: `no …${signature.slice(-30)}` })}
`('the canary finds the access token of a request in $part of an answer', async ({ says }) => {
  const { status = 200, statusText = 'OK', headers = {}, body = '' } = says(TOKEN.split('.')[2]);
  const server = createServer((_, response) => response.writeHead(status, statusText, headers).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stopListening = canary.listenTo(baseUrl);
  try {
    const response = await fetch(`${baseUrl}/pass`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(await response.text()).toBe(body);
    expect(canary.counts.responses).toBe(1);
    expect((await canary.findLeaks()).length).toBeGreaterThan(0);
  } finally {
    stopListening();
    server.close();
  }
});
