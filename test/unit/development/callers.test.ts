import { expect, it } from 'vitest';
import { findStranger, mayBeRebound } from '../../../src/development/callers.ts';

const HERE = 'http://localhost:8787/development/token';

const strangerOf = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  findStranger(new Request(url, { method: 'POST', headers: { 'cf-connecting-ip': '127.0.0.1', ...headers } }));

it.each([
  [HERE, {}],
  ['http://127.0.0.1:8787/development/token', {}],
  ['http://[::1]:8787/development/token', { 'cf-connecting-ip': '::1' }],
  [HERE, { 'cf-connecting-ip': '::ffff:127.0.0.1' }],
  [HERE, { 'sec-fetch-site': 'same-origin' }],
  [HERE, { 'sec-fetch-site': 'none' }],
])('the issuer answers %s with %j', (url, headers) => {
  expect(strangerOf(url, headers)).toBeUndefined();
});

it.each([
  ['a name that somebody resolved to this machine', 'http://evil.example:8787/development/token'],
  ['a name that begins like the local one', 'http://localhost.evil.example/development/token'],
  ['a name below the local one', 'http://a.localhost/development/token'],
  ['another address of this machine', 'http://192.168.1.7:8787/development/token'],
  ['the address of all', 'http://0.0.0.0:8787/development/token'],
])('the issuer does not answer under %s', (_, url) => {
  expect(strangerOf(url)).toBe('the issuer answers only at localhost');
});

it.each(['192.168.1.7', '127.0.0.1, 10.0.0.1', '127.0.0.1.evil.example', '::ffff:10.0.0.1', '2001:db8::1', ''])(
  'the issuer does not answer a caller with the address "%s"',
  (address) => {
    expect(strangerOf(HERE, { 'cf-connecting-ip': address })).toBe('the issuer answers only this machine');
  },
);

it('the issuer does not answer a caller without an address', () => {
  expect(findStranger(new Request(HERE))).toBe('the issuer answers only this machine');
});

it.each(['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP', 'True-Client-IP', 'CF-Ray'])(
  'the issuer does not answer a proxy or a tunnel, which sends %s',
  (name) => {
    expect(strangerOf(HERE, { [name]: '127.0.0.1' })).toBe('the issuer answers no proxy');
  },
);

it.each([
  { 'x-origin': 'https://evil.example' },
  { 'x-origin': 'null' },
  { 'x-origin': 'http://localhost:3000' },
  { 'x-origin': 'http://127.0.0.1:8787' },
  { 'x-site': 'cross-site' },
  { 'x-site': 'same-site' },
])('the issuer does not answer a page of another origin: %j', (sent) => {
  // A request in Node drops the names that only browsers may set, so the headers are a plain collection here.
  const headers = new Headers({ 'cf-connecting-ip': '127.0.0.1' });
  for (const [name, value] of Object.entries(sent)) headers.set(name, value);
  const [origin, site] = [headers.get('x-origin'), headers.get('x-site')];
  headers.delete('x-origin');
  headers.delete('x-site');
  if (origin !== null) headers.set('origin', origin);
  if (site !== null) headers.set('sec-fetch-site', site);
  expect(findStranger({ url: HERE, headers } as Request)).toBe('the issuer answers no page of another origin');
});

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const isRebound = (method: string, sent: Readonly<Record<string, string>>) =>
  mayBeRebound({ method, headers: new Headers(sent) });

it('a request to read may be one of a page under a foreign name unless a browser or a program says otherwise', () => {
  for (const method of ['GET', 'HEAD']) {
    for (const name of [CHROME, 'mozilla/5.0', '']) expect(isRebound(method, { 'user-agent': name })).toBe(true);
    expect(isRebound(method, {})).toBe(true);
    // A page can set this one through a header of the proxy.
    expect(isRebound(method, { 'user-agent': CHROME, 'sec-fetch-mode': 'navigate' })).toBe(true);
    for (const site of ['none', 'same-origin', 'cross-site'])
      expect(isRebound(method, { 'user-agent': CHROME, 'sec-fetch-site': site })).toBe(false);
    for (const name of ['curl/8.5.0', 'node', 'gatepass/1.0.0'])
      expect(isRebound(method, { 'user-agent': name })).toBe(false);
  }
  expect(isRebound('POST', {})).toBe(false);
});
