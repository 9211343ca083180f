import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { BULK_BODY_MAX_BYTES } from '../../../src/http/protocol/json-body.ts';
import type { Route } from '../../../src/http/route.ts';
import { newSandbox } from '../../../src/network/sandbox.ts';
import { ROUTES } from '../../../tools/openapi/routes.ts';
import { expectProblem, type ProblemCode } from '../../problem.ts';
import { aPass } from './a-pass.ts';
import { Api, QUEUE_THAT_FAILS, WITHOUT_LIMITS } from './api.ts';
import { INHERITED, LONG } from './fuzz-texts.ts';
import { bodyOf } from './fuzzed-body.ts';
import { aPartner, aToken } from './issuer.ts';
import { forget, recordedWorker, writesIn } from './recorded-bindings.ts';
import { bodiesOf, nameOf, paramsOf, pathOf } from './route-calls.ts';

/** Input that is known to break services. Every route refuses such input and writes nothing. */

const { send, uses } = recordedWorker({ ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS });
const us = await aPartner({ send });
const inSandbox = await aPartner({ gatekeeperNetwork: newSandbox(), send });
const key = await aPass({ gatekeeperNetwork: us.gatekeeperNetwork });
const aud = inject('localnet').operator.audience;
const operator = new Api(await aToken({ client_id: 'ops', aud, scope: 'admin metrics:read' }), send);

// Fetch the keys of both issuers here, not during the tests.
expect([(await us.search({})).status, (await operator.call('GET', '/admin/stuck')).status]).toEqual([200, 200]);

beforeEach(() => forget(uses));
afterEach(() => expect(writesIn(uses)).toEqual([]));

/** Returns a caller for whom the route exists. */
const callerOf = (route: Route) => (route.scope === 'admin' ? operator : 'sandbox' in route ? inSandbox : us);

const JSON_TYPE = { 'content-type': 'application/json' };
const nested = (open: string, depth: number, within: string, close: string) =>
  open.repeat(depth) + within + close.repeat(depth);

/** Texts that are not a name, an address or a value of the interface. */
const TEXTS: readonly (readonly [string, string])[] = [
  ['a lone surrogate', '\ud800'],
  ['two surrogates in the wrong order', '\udc00\ud800'],
  ['NUL', '\0'],
  ['a valid text followed by NUL', `${key.wallet}\0`],
  ['a right-to-left mark', `\u202e${key.wallet}`],
  ['an invisible space', `${key.wallet}\u200b`],
  ['a Cyrillic letter', key.wallet.replace(/[a-f](?=[^a-f]*$)/i, 'а')],
  ['full-width digits', key.wallet.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))],
  ['an escape sequence', '\u001b]0;x\u0007'],
  ['SQL', "' OR 1=1 --"],
  ...INHERITED.map((name) => [`the inherited name ${name}`, name] as const),
];

/** Returns copies of the JSON text, each with another of its strings replaced by this text. A reference and a subject may be many of the texts. */
const withEachText = (json: string, quoted: string) =>
  [...json.matchAll(/(?<=:)(?<!"(?:reference|subject)":)"[^"]*"/g)].map(
    ({ 0: text, index }) => json.slice(0, index) + quoted + json.slice(index + text.length),
  );

const WITH_BODY = ROUTES.filter((route) => 'body' in route && route.body !== undefined);

/** Operations that take a text of the operator, like the arguments of a command and a reason, or refuse the operator's program. */
const ALSO: Readonly<Record<string, readonly number[]>> = {
  reportCommand: [201],
  revokePasses: [200],
  decideApproval: [403],
};

describe.each(WITH_BODY.map((route) => ({ name: nameOf(route), route })))('the body of $name', ({ route }) => {
  const post = (body: BodyInit, headers: Record<string, string> = JSON_TYPE) =>
    callerOf(route).call(route.method, pathOf(route, paramsOf(key)), { body, headers });
  const refuses = async (body: BodyInit, code: ProblemCode, headers?: Record<string, string>) => {
    expectProblem(await post(body, headers), code);
  };
  const bodies = bodiesOf(route, key).map((body) => JSON.stringify(body));
  const right = bodies.at(-1) as string;
  const INVALID = 'invalid_request';
  const NO_JSON = 'invalid_json';
  const TOO_LARGE = 'body_too_large';
  const NOT_TAKEN = 'unsupported_media_type';

  it.each<[string, string, ProblemCode]>([
    ['arrays, 8,000 levels', nested('[', 8000, '', ']'), NO_JSON],
    ['objects, 2,700 levels', nested('{"a":', 2700, '1', '}'), NO_JSON],
    ['16,000 brackets that are never closed', '['.repeat(16_000), NO_JSON],
    ['a field, 8,000 levels', `{"state":${nested('[', 8000, '', ']')}}`, NO_JSON],
    ['objects, 17 levels', nested('{"a":', 17, '1', '}'), NO_JSON],
    ['objects, 16 levels', nested('{"a":', 16, '1', '}'), INVALID],
    ['arrays, 16 levels', nested('[', 16, '', ']'), INVALID],
    ['an array that is not nested, with 8,000 numbers', `[0${',0'.repeat(7_999)}]`, INVALID],
    ['brackets inside a text', `{"state":"${'[{'.repeat(100)}"}`, INVALID],
  ])('refuses a deeply nested body: %s', (_, body, refusal) => refuses(body, refusal));

  it.each([
    ['1e400', '1e400'],
    ['-1e400', '-1e400'],
    ['1e308', '1e308'],
    ['of 1,000 digits', '9'.repeat(1000)],
    ['2 to the 53rd and 1', '9007199254740993'],
    ['-1', '-1'],
    ['0.1', '0.1'],
  ])('refuses a number in the wrong place or out of range: %s', async (_, number) => {
    for (const name of ['limit', 'skip', 'olderThan', 'expiryTimestamp', 'state', 'walletAddress', 'all']) {
      await refuses(`{"${name}":${number}}`, INVALID);
    }
  });

  it.each([
    ['with the same value', `{"a":1,"a":1}`],
    ['with another value', '{"a":1,"b":{},"a":2}'],
    ['in an otherwise valid body', `${right.slice(0, -1)},${right.slice(1)}`],
    ['with an escaped name', `{"state":"FROZEN","\\u0073tate":"ACTIVE"}`],
    ['deep inside the body', '{"a":{"b":[{"c":1,"c":2}]}}'],
    ['with the name __proto__', '{"__proto__":1,"__proto__":{}}'],
  ])('refuses duplicate keys: a field repeated %s', (_, body) => refuses(body, NO_JSON));

  it.each(INHERITED)('refuses a field named like an inherited property: %s', async (name) => {
    for (const value of ['1', 'null', '{}', '{"limit":1,"state":"FROZEN"}']) {
      expectProblem(await post(`{"${name}":${value}}`), INVALID, { pointer: `/${name}` });
    }
  });

  it.each(TEXTS)('refuses a string that is or contains %s', async (_, text) => {
    const quoted = JSON.stringify(text);
    for (const body of [...bodies.flatMap((each) => withEachText(each, quoted)), `{${quoted}:1}`, quoted]) {
      const { status, text: answer } = await post(body);
      // A bulk request has the problem of its item in its result.
      const refused = status === 200 ? (JSON.parse(answer).results?.[0].status ?? status) : status;
      expect([400, 404, ...(ALSO[route.operationId] ?? [])], body).toContain(refused);
    }
  });

  it('refuses strings that are longer than a body may be', async () => {
    const text = 'A'.repeat(BULK_BODY_MAX_BYTES);
    for (const body of [`{"walletAddress":"${text}"}`, `{"${text}":1}`, `"${text}"`, `${text}A`])
      await refuses(body, TOO_LARGE);
  });

  it.each([
    ['none', {}],
    ['an empty one', { 'content-type': '' }],
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['two', { 'content-type': 'two content types' }],
    ['100 kB', { 'content-type': `application/json${LONG}` }],
  ])('refuses a wrong or missing content type: %s', (_, headers) => refuses(right, NOT_TAKEN, headers));

  it.each(['gzip', 'deflate'] as const)('refuses a body compressed with %s', async (format) => {
    const stream = new Blob([right]).stream().pipeThrough(new CompressionStream(format));
    await refuses(await new Response(stream).arrayBuffer(), NOT_TAKEN, { ...JSON_TYPE, 'content-encoding': format });
  });

  it.each(['br', 'zstd', 'GZIP', 'identity, gzip', 'rot13'])('refuses a body with Content-Encoding %s', (encoding) =>
    refuses(right, NOT_TAKEN, { ...JSON_TYPE, 'content-encoding': encoding }),
  );

  it.each([
    ['without end', TOO_LARGE],
    ['too long, in chunks', TOO_LARGE],
    ['too long', TOO_LARGE],
    ['broken off', NO_JSON],
    ['cut off', NO_JSON],
    ['UTF-16', NO_JSON],
    ['not UTF-8', NO_JSON],
    ['with a byte order mark', NO_JSON],
    ['twice', NO_JSON],
    ['compressed, without Content-Encoding', NO_JSON],
  ] as const)('refuses a malformed or oversized body: %s', async (as, refusal) => {
    const { body } = await bodyOf({ text: right, as });
    await refuses(body, refusal);
  });

  it.each(['0', '1', '99999999999999999999', '-1', '1e9', 'NaN'])(
    'refuses a body with a wrong Content-Length: %s',
    async (length) => {
      const { body } = await bodyOf({ text: '{"nonsense":1}', as: 'in chunks' });
      const { status } = await post(body, { ...JSON_TYPE, 'content-length': length });
      expect([400, 413]).toContain(status);
    },
  );
});

describe.each(ROUTES.filter(({ path }) => path.includes(':')).map((route) => ({ name: nameOf(route), route })))(
  'the path of $name',
  ({ route }) => {
    const caller = callerOf(route);
    const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
    const refuses = async (value: string) => {
      for (const name of names) {
        const path = pathOf(route, { ...paramsOf(key), [name]: value });
        const { status } = await caller.call(route.method, path);
        expect([400, 404], path.slice(0, 200)).toContain(status);
      }
    };

    it.each(TEXTS)('refuses a path parameter that is or contains %s', (_, text) =>
      refuses(encodeURIComponent(text.toWellFormed())),
    );
    it('refuses a path parameter of 100 kB', () => refuses(LONG));
    it.each(['%', '%zz', '%ff', '%00', '%c0%af', '%ed%a0%80', '%252e%252e', '%2e%2e%2f', '..%2f..%2fadmin', '%F0%9F'])(
      'refuses a path parameter with %s, which decodes to no valid value',
      (encoded) => refuses(encoded),
    );

    it.each(['..', '.', '%2e%2e', '%2E', '//', '\\'])('normalizes a path with %s before it routes it', async (dots) => {
      for (const name of names) {
        const { status } = await caller.call(route.method, pathOf(route, { ...paramsOf(key), [name]: dots }));
        expect([200, 302, 400, 404, 405]).toContain(status);
      }
    });
  },
);

describe.each(ROUTES.filter(({ scope }) => scope === 'admin').map((route) => ({ name: nameOf(route), route })))(
  'the query of $name',
  ({ route }) => {
    const refuses = async (query: string) => {
      expectProblem(await operator.call(route.method, `${route.path}?${query}`), 'invalid_request');
    };

    it.each(TEXTS)('refuses a query that contains %s', async (_, text) => {
      const encoded = encodeURIComponent(text.toWellFormed());
      for (const query of [`${encoded}=1`, `limit=${encoded}`, `after=${encoded}`]) await refuses(query);
    });
    it('refuses a query of 100 kB', async () => {
      for (const query of [`limit=${LONG}`, `${LONG}=1`, LONG]) await refuses(query);
    });
    it.each(['limit=1&limit=2', 'limit=1e1', 'limit=١', 'limit=%2B1', 'limit[]=1', 'after=1:%00', 'olderThan=1e400'])(
      'refuses the query %s',
      (query) => refuses(query),
    );
  },
);
