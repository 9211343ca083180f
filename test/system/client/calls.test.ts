import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  createGatepass,
  GatepassProblem,
  GatepassTokenError,
  GatepassUnreachable,
} from '../../../client/src/gatepass.ts';
import { aPassKey } from './a-pass-key.ts';
import { frontedGatepass, rejection } from './fronted-gatepass.ts';

/** How the client calls: with which tokens, and what it does when that goes wrong. */

const { fronts, origins, client, credentials } = frontedGatepass();

const pausesBetween = (seen: readonly { at: number }[]) =>
  seen.slice(1).map(({ at }, index) => at - (seen[index]?.at ?? 0));

describe('the token', () => {
  it('is fetched once for twenty calls at the same time, and for those that follow', async () => {
    const gatepass = client();
    await Promise.all(Array.from({ length: 20 }, () => gatepass.get(aPassKey())));
    await gatepass.search();
    expect(fronts.oauth.seen).toHaveLength(1);
    expect(fronts.service.seen).toHaveLength(21);
  });

  it('is renewed in the last quarter of its life', async () => {
    const gatepass = client();
    fronts.oauth.alter = (body) => JSON.stringify({ ...JSON.parse(body), expires_in: 4 });
    for (const [second, fetched] of [
      [0, 1],
      [2, 1],
      [3.2, 2],
    ] as const) {
      await sleep(second * 1000 - (performance.now() - (fronts.oauth.seen[0]?.at ?? performance.now())));
      await gatepass.search();
      expect(fronts.oauth.seen).toHaveLength(fetched);
    }
  });

  it('is fetched again when the service does not take it, once', async () => {
    const refusal = { status: 401 };
    fronts.service.instead = [refusal];
    const gatepass = client();
    expect(await gatepass.get(aPassKey())).toBeUndefined();
    expect([fronts.oauth.seen.length, fronts.service.seen.length]).toEqual([2, 2]);
    fronts.service.instead = [refusal, refusal];
    expect(await rejection(gatepass.get(aPassKey()))).toMatchObject({ status: 401 });
    expect([fronts.oauth.seen.length, fronts.service.seen.length]).toEqual([3, 4]);
  });

  it('is asked for in the header or in the form, as the server wants it', async () => {
    await client().search();
    await client({ credentials: credentials({ as: 'post', audience: 'https://api.gatepass.example' }) }).search();
    expect(fronts.oauth.seen.map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${btoa('acme:acme-secret')}`,
      undefined,
    ]);
  });

  it('may come from elsewhere: each call asks for it, and for another one when it was not taken', async () => {
    const given: (string | undefined)[] = [];
    const token = async (refused?: string) => {
      given.push(refused);
      return refused === undefined ? 'old' : 'older';
    };
    const gatepass = createGatepass({ baseUrl: origins.service, token });
    expect(await rejection(gatepass.search())).toMatchObject({ status: 401, code: 'token_invalid' });
    expect(given).toEqual([undefined, 'old']);
    fronts.service.reset();
    await rejection(createGatepass({ baseUrl: origins.service, token: async () => 'the same' }).search());
    expect(fronts.service.seen).toHaveLength(1);
  });

  it('that cannot be had is an error without the secret in it, and the next call tries again', async () => {
    const gatepass = client({ credentials: credentials({ clientSecret: 'not-the-secret' }) });
    const fault = await rejection(gatepass.search());
    expect(fault).toBeInstanceOf(GatepassTokenError);
    expect(String(fault)).toMatch(/no token from 127\.0\.0\.1:\d+ for acme: 401 invalid_client/);
    await rejection(gatepass.search());
    expect(fronts.oauth.seen).toHaveLength(2);
    fronts.oauth.instead = [{ status: 400, body: '{"error":"invalid_request","error_description":"not-the-secret"}' }];
    expect(String(await rejection(gatepass.search()))).toMatch(/ 400 invalid_request, \[hidden\]$/);
    fronts.oauth.instead = [{ status: 307, headers: { location: `${origins.service}/elsewhere` } }];
    expect(String(await rejection(gatepass.search()))).toMatch(/ 307 $/);
    fronts.oauth.instead = [{ status: 200, body: '{"access_token":"two\\nlines","expires_in":600}' }];
    expect(String(await rejection(gatepass.search()))).toMatch(/the token .* is none$/);
    const empty = client({ credentials: credentials({ clientSecret: '' }) });
    expect(String(await rejection(empty.search()))).toMatch(/ for acme: 40\d invalid_\w+/);
    expect(fronts.service.seen).toEqual([]);
  });

  it('is waited for while its server is away for a moment', async () => {
    fronts.oauth.instead = ['silence', { status: 503, headers: { 'retry-after': '0' } }];
    expect(await client().get(aPassKey())).toBeUndefined();
    fronts.oauth.instead = ['silence', 'silence', 'silence'];
    const fault = await rejection(client().search());
    expect(fault).toBeInstanceOf(GatepassTokenError);
    expect(fault).toMatchObject({ cause: expect.any(GatepassUnreachable) });
  });
});

it.each(['', 'api.example.com', 'ftp://api.example.com'])('"%s" is no URL to ask, which is said at once', (url) => {
  const token = async () => 'any';
  expect(() => createGatepass({ baseUrl: url, token })).toThrow(/^baseUrl must be a URL/);
  const there = { clientId: 'acme', clientSecret: 'acme-secret', tokenUrl: url };
  expect(() => createGatepass({ baseUrl: 'https://api.example.com', credentials: there })).toThrow(/^tokenUrl must be/);
});

describe('a call is tried again', () => {
  it.each`
    what                       | least  | instead
    ${'429 with seconds'}      | ${1e3} | ${{ status: 429, headers: { 'retry-after': '1' } }}
    ${'503 with seconds'}      | ${1e3} | ${{ status: 503, headers: { 'retry-after': '1' } }}
    ${'503 with a date gone'}  | ${0}   | ${{ status: 503, headers: { 'retry-after': new Date(0).toUTCString() } }}
    ${'429 that says nothing'} | ${120} | ${{ status: 429 }}
    ${'500'}                   | ${120} | ${{ status: 500 }}
    ${'no answer'}             | ${120} | ${'silence'}
    ${'half an answer'}        | ${120} | ${'half'}
  `('after $what, $least ms later', async ({ instead, least }) => {
    const gatepass = client();
    await gatepass.search();
    fronts.service.reset();
    fronts.service.instead = [instead];
    const pass = aPassKey();
    expect(await gatepass.issue(pass)).toMatchObject(pass);
    const [pause, ...rest] = pausesBetween(fronts.service.seen);
    expect(rest).toEqual([]);
    expect(pause).toBeGreaterThanOrEqual(least);
    expect(pause).toBeLessThan(least + 2_000);
  });

  it('not sooner than a date in Retry-After', async () => {
    const date = new Date(Date.now() + 2_000).toUTCString();
    fronts.service.instead = [{ status: 503, headers: { 'retry-after': date } }];
    await client().search();
    const { at: last = 0 } = fronts.service.seen.at(-1) ?? {};
    expect(performance.timeOrigin + last).toBeGreaterThanOrEqual(Date.parse(date));
  });

  it('after pauses that grow, and not more often than is said', async () => {
    fronts.service.instead = Array.from({ length: 4 }, () => ({ status: 500 }));
    expect(await rejection(client({ retries: { times: 3 } }).search())).toMatchObject({ status: 500 });
    const pauses = pausesBetween(fronts.service.seen);
    expect(pauses).toHaveLength(3);
    expect(pauses[2]).toBeGreaterThan(pauses[0] ?? 0);
  });

  it('not beyond the time that is said, nor where it would have to wait longer: the answer is the error', async () => {
    const gone = { status: 429, headers: { 'retry-after': '3600', 'content-type': 'application/problem+json' } };
    fronts.service.instead = [{ ...gone, body: '{"code":"quota_reached","detail":"no more","requestId":"1"}' }];
    const fault = await rejection(client().issue(aPassKey()));
    expect(fault).toBeInstanceOf(GatepassProblem);
    expect(fault).toMatchObject({ code: 'quota_reached', retryAfterMs: 3_600_000 });
    expect(fronts.service.seen).toHaveLength(1);
    fronts.service.instead = Array.from({ length: 9 }, () => 'silence' as const);
    expect(await rejection(client({ retries: { withinMs: 700 } }).search())).toBeInstanceOf(GatepassUnreachable);
    expect(fronts.service.seen.length).toBeLessThan(5);
  });
});

/** Problems of somebody else, which have some of the fields. */
const FOREIGN = [
  { errors: {} },
  { code: 'Throttling', requestId: 'r', errors: { a: 1 } },
  { code: 'Throttling', detail: 'Slow down.', requestId: 'r', errors: { a: 1 } },
  { code: 'Throttling', detail: 'Slow down.', requestId: 'r', errors: [null] },
  { code: 17, detail: 'Slow down.', requestId: 'r' },
];

describe('a refusal', () => {
  it('is an error with everything that the problem says, and asked for once', async () => {
    const fault = await rejection(client().issue({ ...aPassKey(), walletAddress: '0x1' }));
    expect(fault).toBeInstanceOf(GatepassProblem);
    expect(fault).toMatchObject({
      status: 400,
      code: 'invalid_wallet',
      requestId: expect.stringMatching(/^[\da-f-]{36}$/),
      errors: [{ pointer: '/walletAddress', detail: expect.any(String) }],
      message: expect.stringContaining('/walletAddress'),
    });
    expect(fronts.service.seen).toHaveLength(1);
  });

  it('of somebody in between is one too, and so is a page instead of a pass', async () => {
    const page = { headers: { 'content-type': 'text/html' }, body: '<html>' };
    fronts.service.instead = [{ status: 403, ...page }];
    expect(await rejection(client().search())).toMatchObject({ status: 403, code: 'unexpected_answer' });
    fronts.service.instead = [{ status: 200, ...page }];
    expect(await rejection(client().search())).toMatchObject({ status: 200, code: 'unexpected_answer' });
    for (const body of FOREIGN) {
      fronts.service.instead = [{ status: 403, body: JSON.stringify(body) }];
      expect(await rejection(client().search())).toMatchObject({ status: 403, code: 'unexpected_answer', errors: [] });
    }
    fronts.service.instead = [{ status: 200, body: '{"records": [' }];
    expect(await rejection(client().search())).toMatchObject({ status: 200, code: 'unexpected_answer' });
  });
});

describe('an abort', () => {
  it.each`
    when                                | instead
    ${'while it waits to try again'}    | ${{ status: 503, headers: { 'retry-after': '30' } }}
    ${'while the service waits for it'} | ${undefined}
  `('ends the call at once $when, with its reason', async ({ instead }) => {
    const gatepass = client(instead ? {} : { retries: { times: 0 } });
    await gatepass.search();
    fronts.service.reset();
    if (instead) fronts.service.instead = [instead];
    const reason = new Error('enough');
    const controller = new AbortController();
    const waiting = rejection(gatepass.issueAndWait(aPassKey(), { signal: controller.signal }));
    await expect.poll(() => fronts.service.seen.length).toBe(1);
    const begun = performance.now();
    setTimeout(() => controller.abort(reason), 50);
    expect(await waiting).toBe(reason);
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(fronts.service.seen).toHaveLength(1);
  });

  it('before the call sends nothing', async () => {
    const reason = new Error('never mind');
    expect(await rejection(client().search({}, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    await sleep(100);
    expect([fronts.oauth.seen, fronts.service.seen]).toEqual([[], []]);
  });
});
