import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keyOf } from '../../../src/counts/counted.ts';
import { IsolateCounts } from '../../../src/counts/counts.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import type { StubbedAnswer } from '../../special-issuer.ts';
import { anEndpoint } from '../auth/an-endpoint.ts';
import { anIssuer, compact, hmac, type Signer, theClaims } from '../auth/an-issuer.ts';
import type { Target } from '../auth/token-attack.ts';
import { TOKEN_ATTACKS } from '../auth/token-attacks.ts';
import { Answer } from './answer.ts';
import { partner, register, type Send, workerWith } from './api.ts';
import { ALL_SCOPES, newClientId, newGatekeeperNetwork, TRUSTING } from './issuer.ts';

/** Token attacks on the whole Worker, other ways to send a token, and the keys of the issuer. */

const [ec, rsa, ps, ed, forger] = await Promise.all([
  anIssuer('ES256', 'ec'),
  anIssuer('RS256', 'rsa'),
  anIssuer('PS256', 'ps'),
  anIssuer('EdDSA', 'ed'),
  anIssuer('ES256', 'ec'),
]);
const clientId = newClientId();
await register({ clientId, gatekeeperNetwork: newGatekeeperNetwork() });

const gives = (...keys: object[]): StubbedAnswer => ({ body: JSON.stringify({ keys }) });

const several = gives(ec.jwk, rsa.jwk, ps.jwk, ed.jwk);

/** Returns a new Worker without cached keys, and its source of keys. */
async function aWorker(answer: StubbedAnswer = several) {
  const issuer = await anEndpoint(answer);
  return { issuer, worker: workerWith({ ...TRUSTING, JWKS_URL: issuer.url }) };
}
const { worker: one } = await aWorker(gives(ec.jwk));

async function search(worker: Send, headers: HeadersInit, query = '', body?: BodyInit): Promise<Answer> {
  const init = { method: 'POST', headers, ...(body === undefined ? {} : { body }) };
  const response = await worker(new Request(`https://api.example/pass${query}`, init));
  return new Answer(response, await response.text(), 'POST', '/pass');
}
const bearing = (worker: Send, token: string) => search(worker, { authorization: `Bearer ${token}` });

const challenge = ({ headers }: Answer) => headers.get('www-authenticate');
/** RFC 6750 §3, and RFC 9728 §5.1. */
const INVALID =
  /^Bearer realm="gatepass", error="invalid_token", error_description="[ !#-[\]-~]+"(, resource_metadata="[^"\\]+")?$/;
const MISSING = /^Bearer realm="gatepass"(, resource_metadata="[^"\\]+")?$/;

function expectInvalidToken(answer: Answer, detail = /./): void {
  expectProblem(answer, 'token_invalid', { detail });
  expect(challenge(answer)).toMatch(INVALID);
}

function expectMissingToken(answer: Answer): void {
  expectProblem(answer, 'token_missing');
  expect(challenge(answer)).toMatch(MISSING);
}

const now = () => Math.floor(Date.now() / 1000);
const good = (changes: Readonly<Record<string, unknown>> = {}) =>
  theClaims({
    aud: env.TOKEN_AUDIENCE,
    iat: now(),
    exp: now() + 600,
    client_id: clientId,
    scope: ALL_SCOPES,
    ...changes,
  });
const unsigned: Signer = () => new Uint8Array();
const target: Target = {
  ...{ rsa, ps, ec, ed, forger, clientId, now },
  issuer: TRUSTING.TOKEN_ISSUER,
  audience: env.TOKEN_AUDIENCE,
  claims: good,
};

it('accepts a valid token with any configured algorithm', async () => {
  expect((await bearing(one, await ec.sign(good()))).status).toBe(200);
  const { worker } = await aWorker(several);
  for (const issuer of [ec, rsa, ps, ed]) {
    expect((await bearing(worker, await issuer.sign(good()))).status).toBe(200);
  }
  expect((await bearing(worker, await rsa.sign(good(), { typ: 'at+jwt' }))).status).toBe(200);
});

describe.each([
  ['one key', gives(ec.jwk)],
  ['several keys', several],
])('token attacks over HTTP, against an issuer with %s', (_, keys) => {
  it.each(TOKEN_ATTACKS.map((attack) => [attack.name, attack] as const))('refuses a token %s', async (_, attack) => {
    for (const token of await Promise.all(attack.forge(target))) {
      // The Worker refuses an unknown key only after it has asked the issuer, at most every five seconds.
      const { worker } = await aWorker(keys);
      const answer = await bearing(worker, token);
      expectInvalidToken(answer, attack.detail);
      expect(answer.text + challenge(answer)).not.toContain(token.split('.')[2] || token);
    }
  });
});

it('ignores another client id in a claim that is not the configured one', async () => {
  const stranger = newClientId();
  const answer = await bearing(one, await ec.sign(good({ client_id: stranger, azp: clientId, sub: clientId })));
  expectProblem(answer, 'client_unknown');
});

it('tolerates a clock difference of one minute', async () => {
  const edges = { iat: now() + 50, nbf: now() + 50 };
  expect((await bearing(one, await ec.sign(good(edges)))).status).toBe(200);
  expect((await bearing(one, await ec.sign(good({ iat: now() - 600, exp: now() - 50 })))).status).toBe(200);
});

it('refuses two Authorization headers, whatever they contain', async () => {
  const token = `Bearer ${await ec.sign(good())}`;
  const both = (...values: string[]) =>
    search(
      one,
      values.map((value) => ['authorization', value] as [string, string]),
    );
  expect((await both(token)).status).toBe(200);
  expectInvalidToken(await both(token, token));
  expectInvalidToken(await both(token, `Bearer ${await forger.sign(good())}`));
  expectInvalidToken(await both(token, 'Basic YWNtZTo='));
  expectMissingToken(await both('Basic YWNtZTo=', token));
});

it('ignores a token in the query string, in a form, and in other headers', async () => {
  const form = `access_token=${await ec.sign(good())}`;
  expectMissingToken(await search(one, {}, `?${form}`));
  expectMissingToken(await search(one, { 'content-type': 'application/x-www-form-urlencoded' }, '', form));
  expectMissingToken(await search(one, { cookie: form, 'x-access-token': form }));
});

it('fetches nothing from a URL in a token: jku, x5u, kid or iss', async () => {
  const trap = await anEndpoint(gives(forger.jwk));
  for (const more of [{ jku: trap.url }, { x5u: trap.url }, { jku: trap.url, kid: 'new' }, { kid: trap.url }]) {
    for (const issuer of [forger, ec]) {
      const { worker } = await aWorker();
      expectInvalidToken(await bearing(worker, await issuer.sign(good(), more)));
    }
  }
  expectInvalidToken(await bearing(one, await forger.sign(good({ iss: trap.url }))));
  expect(await trap.asked()).toBe(0);
});

describe('the keys of the issuer', () => {
  afterEach(() => void vi.useRealTimers());
  const later = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });

  it('verifies no token with an encryption key or a symmetric key', async () => {
    const { worker } = await aWorker(gives({ ...ec.jwk, use: 'enc' }, { kty: 'oct', kid: 'oct', k: 'c2VjcmV0' }));
    expectInvalidToken(await bearing(worker, await ec.sign(good())));
    expectInvalidToken(
      await bearing(worker, await compact({ alg: 'HS256', kid: 'oct' }, good(), hmac('SHA-256', 'secret'))),
    );
  });

  it('follows a key rotation without a restart: accepts the new key and refuses the removed one', async () => {
    const { issuer, worker } = await aWorker(gives(ec.jwk));
    // The time to wait counts from the first fetch, so the clock stands still.
    later(0);
    expect((await bearing(worker, await ec.sign(good()))).status).toBe(200);
    await issuer.answers(gives(rsa.jwk));
    const early = await bearing(worker, await rsa.sign(good()));
    expectProblem(early, 'temporarily_unavailable');
    expect(early.headers.get('retry-after')).toBe('5');
    expect((await bearing(worker, await ec.sign(good()))).status).toBe(200);
    later(5);
    expect((await bearing(worker, await rsa.sign(good()))).status).toBe(200);
    expectInvalidToken(await bearing(worker, await ec.sign(good())));
    expect(await issuer.asked()).toBe(2);
  });

  it('are asked for once in five seconds, however many unknown keys tokens name, and known keys serve', async () => {
    const { issuer, worker } = await aWorker(gives(ec.jwk));
    expect((await bearing(worker, await ec.sign(good()))).status).toBe(200);
    for (const fetches of [2, 3]) {
      later(5);
      const invented = Array.from({ length: 50 }, () => rsa.sign(good(), { kid: crypto.randomUUID() }));
      const answers = await Promise.all((await Promise.all(invented)).map((token) => bearing(worker, token)));
      for (const { status } of answers) expect([401, 503]).toContain(status);
      expect((await bearing(worker, await ec.sign(good()))).status).toBe(200);
      expect(await issuer.asked()).toBe(fetches);
    }
  });

  it('that callers invent never count as failed requests, and a real outage of the issuer does', async () => {
    const counted = vi.spyOn(IsolateCounts.prototype, 'add');
    const failed = () =>
      counted.mock.calls.filter(([key]) => key === keyOf('requestsFailed', ['/pass', 'POST'])).length;
    const { issuer, worker } = await aWorker(gives(ec.jwk));
    later(0);
    expect((await bearing(worker, await ec.sign(good()))).status).toBe(200);
    const invent = async () => bearing(worker, await rsa.sign(good(), { kid: crypto.randomUUID() }));
    const flood = () => Promise.all(Array.from({ length: 100 }, invent));
    const refused = [await flood(), await flood()].flat();
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    for (const answer of refused) expectProblem(answer, 'temporarily_unavailable', { retryAfter: '5' });
    // One failed fetch is no outage.
    await issuer.answers({ status: 500 });
    later(5);
    expect((await invent()).status).toBe(503);
    expect(failed()).toBe(0);
    later(60);
    expect((await invent()).status).toBe(503);
    expect(failed()).toBe(1);
    later(25 * 3600);
    expectProblem(await bearing(worker, await ec.sign(good())), 'temporarily_unavailable');
    expect(failed()).toBe(2);
    counted.mockRestore();
  });

  it('refreshes keys in the background, without delaying the request and beyond its end', async () => {
    const acme = await partner('acme');
    await acme.search({});
    later(5 * 60);
    const fetched = { times: 0, isHeld: true };
    const ofTheLocalnet = globalThis.fetch;
    const slow = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
      // Objects of other tests ask their nodes meanwhile.
      if (String(request[0]) !== env.JWKS_URL) return ofTheLocalnet(...request);
      while (fetched.isHeld) await scheduler.wait(10);
      const response = await ofTheLocalnet(...request);
      fetched.times += 1;
      return response;
    });
    expect((await acme.search({})).status).toBe(200);
    expect(fetched.times).toBe(0);
    fetched.isHeld = false;
    await eventually(() => expect(fetched.times).toBe(1));
    slow.mockRestore();
  });

  it('uses known keys for 24 hours while the issuer is down, and then returns 503 and not 401', async () => {
    const { issuer, worker } = await aWorker();
    expect((await bearing(worker, await ec.sign(good()))).status).toBe(200);
    await issuer.answers({ status: 503 });
    later(23 * 3600);
    expect((await bearing(worker, await ec.sign(good()))).status).toBe(200);
    later(3600);
    const answer = await bearing(worker, await ec.sign(good()));
    expectProblem(answer, 'temporarily_unavailable');
    expect(challenge(answer)).toBeNull();
  });

  it('returns 503 with Retry-After before the first fetch of keys succeeds, and fetches once for all callers', async () => {
    const { issuer, worker } = await aWorker({ status: 500 });
    later(0);
    const token = await ec.sign(good());
    const answers = await Promise.all(Array.from({ length: 20 }, () => bearing(worker, token)));
    for (const answer of answers) {
      expectProblem(answer, 'temporarily_unavailable');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(25);
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    }
    expectInvalidToken(await bearing(worker, await compact({ alg: 'none', kid: 'ec' }, good(), unsigned)));
    expect(await issuer.asked()).toBe(1);
    await issuer.answers(gives(ec.jwk));
    later(30);
    expect((await bearing(worker, await ec.sign(good()))).status).toBe(200);
  });
});
