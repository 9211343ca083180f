import { env } from 'cloudflare:workers';
import { EncryptJWT, generateKeyPair } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SaidAnswer } from '../../special-issuer.ts';
import { anEndpoint } from '../auth/an-endpoint.ts';
import { anIssuer, compact, der, hmac, type Signer, theClaims } from '../auth/an-issuer.ts';
import { Answer } from './answer.ts';
import { partner, register, type Send, workerWith } from './api.ts';
import { ALL_SCOPES, newClientId, newGatekeeperNetwork, TRUSTING } from './issuer.ts';

/** What forged tokens get, and what an issuer's keys do to good ones: over the whole Worker. */

const [ec, rsa, forger] = await Promise.all([
  anIssuer('ES256', 'ec'),
  anIssuer('RS256', 'rsa'),
  anIssuer('ES256', 'ec'),
]);
const clientId = newClientId();
await register({ clientId, gatekeeperNetwork: newGatekeeperNetwork() });

const gives = (...keys: object[]): SaidAnswer => ({ body: JSON.stringify({ keys }) });

/** A Worker that has just started and knows no keys yet, and where it gets them. */
async function aWorker(answer: SaidAnswer = gives(ec.jwk, rsa.jwk)) {
  const issuer = await anEndpoint(answer);
  return { issuer, worker: workerWith({ ...TRUSTING, JWKS_URL: issuer.url }) };
}
const { worker: one } = await aWorker(gives(ec.jwk));
const { worker: several } = await aWorker();

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

function isRefused(answer: Answer, form = INVALID): void {
  expect([answer.status, answer.problem.code]).toEqual([401, form === INVALID ? 'token_invalid' : 'token_missing']);
  expect(challenge(answer)).toMatch(form);
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

it('a good token is taken, whatever the issuer signed it with', async () => {
  expect((await bearing(one, await ec.sign(good()))).status).toBe(200);
  expect((await bearing(several, await ec.sign(good()))).status).toBe(200);
  expect((await bearing(several, await rsa.sign(good(), { typ: 'at+jwt' }))).status).toBe(200);
});

describe.each([
  ['one key', one],
  ['several keys', several],
])('of an issuer with %s, a token', (_, worker) => {
  it.each<[string, () => Promise<string>]>([
    ['of alg none', () => compact({ alg: 'none', kid: 'ec' }, good(), unsigned)],
    ['of alg nOnE with the signature of another', () => compact({ alg: 'nOnE', kid: 'ec' }, good(), ec.signer)],
    ['without alg', () => ec.sign(good(), { alg: undefined })],
    ['by HS256 with the PEM', () => compact({ alg: 'HS256', kid: 'ec' }, good(), hmac('SHA-256', ec.publicKey))],
    [
      'by HS256 with the JWK',
      () => compact({ alg: 'HS256', kid: 'ec' }, good(), hmac('SHA-256', JSON.stringify(ec.jwk))),
    ],
    ['by a forger’s key', () => forger.sign(good())],
    ['without kid', () => ec.sign(good(), { kid: undefined })],
    ['of an unknown kid', () => ec.sign(good(), { kid: 'nobody' })],
    ['whose kid is a path', () => ec.sign(good(), { kid: '../../dev/null' })],
    ['whose kid is SQL', () => ec.sign(good(), { kid: "' OR 1=1 --" })],
    ['whose kid is an object', () => ec.sign(good(), { kid: { toString: 'ec' } })],
    ['whose kid has 1 MB', () => ec.sign(good(), { kid: 'x'.repeat(1_000_000) })],
    ['with its own jwk', () => forger.sign(good(), { jwk: forger.jwk })],
    ['with x5c', () => forger.sign(good(), { x5c: ['MIIB'] })],
    ['with crit', () => ec.sign(good(), { crit: ['exp'], exp: 1 })],
    ['with b64: false', () => ec.sign(good(), { b64: false, crit: ['b64'] })],
    ['that is an ID token', () => ec.sign(good({ aud: clientId, nonce: 'x', at_hash: 'x' }))],
    ['that is an ID token with our audience', () => ec.sign(good({ nonce: 'x', at_hash: 'x' }))],
    ['expired', () => ec.sign(good({ iat: now() - 600, exp: now() - 60 }))],
    ['not valid yet', () => ec.sign(good({ nbf: now() + 90 }))],
    ['without exp', () => ec.sign(good({ exp: undefined }))],
    ['with exp in 9999', () => ec.sign(good({ exp: 253_402_300_799 }))],
    ['with iat in the future', () => ec.sign(good({ iat: now() + 90 }))],
    ['without an audience', () => ec.sign(good({ aud: undefined }))],
    ['whose audience is a substring of ours', () => ec.sign(good({ aud: env.TOKEN_AUDIENCE.slice(0, -1) }))],
    ['whose audience is an array of others', () => ec.sign(good({ aud: [`${env.TOKEN_AUDIENCE}/`, 'x'] }))],
    ['whose issuer ends in a slash', () => ec.sign(good({ iss: `${TRUSTING.TOKEN_ISSUER}/` }))],
    ['whose issuer has another case', () => ec.sign(good({ iss: TRUSTING.TOKEN_ISSUER.toUpperCase() }))],
    ['with the client’s id in the wrong claim', () => ec.sign(good({ client_id: undefined, azp: clientId }))],
    ['over 8 KiB', () => ec.sign(good({ pad: 'x'.repeat(8192) }))],
  ])('%s is refused', async (_, forged) => {
    const token = await forged();
    const answer = await bearing(worker, token);
    isRefused(answer);
    expect(answer.text + challenge(answer)).not.toContain(token.split('.')[2] || token);
  });
});

it('the id of another client in a claim that is not the configured one is not who calls', async () => {
  const stranger = newClientId();
  const answer = await bearing(one, await ec.sign(good({ client_id: stranger, azp: clientId, sub: clientId })));
  expect([answer.status, answer.problem.code]).toEqual([403, 'client_unknown']);
});

it('a signature of ES256 with r = s = 0, and one in DER, are refused', async () => {
  const inDer: Signer = async (input) => der(await ec.signer(input));
  for (const signer of [() => new Uint8Array(64), inDer]) {
    isRefused(await bearing(one, await compact({ alg: 'ES256', kid: 'ec' }, good(), signer)));
  }
});

it('clocks may differ by a minute', async () => {
  const edges = { iat: now() + 50, nbf: now() + 50 };
  expect((await bearing(one, await ec.sign(good(edges)))).status).toBe(200);
  expect((await bearing(one, await ec.sign(good({ iat: now() - 600, exp: now() - 50 })))).status).toBe(200);
});

it('a JWE and the JSON serializations are refused', async () => {
  const { publicKey } = await generateKeyPair('RSA-OAEP-256');
  const jwe = new EncryptJWT(good()).setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: 'rsa' });
  isRefused(await bearing(several, await jwe.encrypt(publicKey)));
  const [header, payload, signature] = (await ec.sign(good())).split('.');
  isRefused(await bearing(several, JSON.stringify({ payload, protected: header, signature })));
  isRefused(await bearing(several, JSON.stringify({ payload, signatures: [{ protected: header, signature }] })));
});

it('two Authorization headers are refused, whatever they carry', async () => {
  const token = `Bearer ${await ec.sign(good())}`;
  const both = (...values: string[]) =>
    search(
      one,
      values.map((value) => ['authorization', value] as [string, string]),
    );
  expect((await both(token)).status).toBe(200);
  isRefused(await both(token, token));
  isRefused(await both(token, `Bearer ${await forger.sign(good())}`));
  isRefused(await both(token, 'Basic YWNtZTo='));
  isRefused(await both('Basic YWNtZTo=', token), MISSING);
});

it('a token in the query string or in a form is as if there were none', async () => {
  const form = `access_token=${await ec.sign(good())}`;
  isRefused(await search(one, {}, `?${form}`), MISSING);
  isRefused(await search(one, { 'content-type': 'application/x-www-form-urlencoded' }, '', form), MISSING);
  isRefused(await search(one, { cookie: form, 'x-access-token': form }), MISSING);
});

it('nothing is fetched from where a token says: jku and x5u', async () => {
  const trap = await anEndpoint(gives(forger.jwk));
  for (const more of [{ jku: trap.url }, { x5u: trap.url }, { jku: trap.url, kid: 'new' }, { kid: trap.url }]) {
    isRefused(await bearing(one, await forger.sign(good(), more)));
    isRefused(await bearing(one, await ec.sign(good(), more)));
  }
  isRefused(await bearing(one, await forger.sign(good({ iss: trap.url }))));
  expect(await trap.asked()).toBe(0);
});

describe('the keys of the issuer', () => {
  afterEach(() => void vi.useRealTimers());
  const later = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });

  it('verify nothing with use: enc, or when they are symmetric', async () => {
    const { worker } = await aWorker(gives({ ...ec.jwk, use: 'enc' }, { kty: 'oct', kid: 'oct', k: 'c2VjcmV0' }));
    isRefused(await bearing(worker, await ec.sign(good())));
    isRefused(await bearing(worker, await compact({ alg: 'HS256', kid: 'oct' }, good(), hmac('SHA-256', 'secret'))));
  });

  it('rotate without a restart: the new key is taken, the removed one refused', async () => {
    const { issuer, worker } = await aWorker(gives(ec.jwk));
    expect((await bearing(worker, await ec.sign(good()))).status).toBe(200);
    await issuer.answers(gives(rsa.jwk));
    isRefused(await bearing(worker, await rsa.sign(good())));
    later(30);
    expect((await bearing(worker, await rsa.sign(good()))).status).toBe(200);
    isRefused(await bearing(worker, await ec.sign(good())));
    expect(await issuer.asked()).toBe(2);
  });

  it('are fetched in the background: the request does not wait, and its end does not end the fetch', async () => {
    const acme = await partner('acme');
    await acme.search({});
    later(5 * 60);
    const fetched = { times: 0 };
    const ofTheLocalnet = globalThis.fetch;
    const slow = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
      await scheduler.wait(300);
      const response = await ofTheLocalnet(...request);
      fetched.times += 1;
      return response;
    });
    expect((await acme.search({})).status).toBe(200);
    expect(fetched.times).toBe(0);
    await vi.waitFor(() => expect(fetched.times).toBe(1), 10_000);
    slow.mockRestore();
  });

  it('serve for 24 hours while the issuer is down; then it is 503 with Retry-After, not 401', async () => {
    const { issuer, worker } = await aWorker();
    expect((await bearing(worker, await ec.sign(good()))).status).toBe(200);
    await issuer.answers({ status: 503 });
    later(23 * 3600);
    expect((await bearing(worker, await ec.sign(good()))).status).toBe(200);
    later(3600);
    const answer = await bearing(worker, await ec.sign(good()));
    expect([answer.status, answer.problem.code]).toEqual([503, 'temporarily_unavailable']);
    expect(challenge(answer)).toBeNull();
  });

  it('that were never fetched make it 503 with Retry-After, not 401, and are fetched once for all who ask', async () => {
    const { issuer, worker } = await aWorker({ status: 500 });
    const token = await ec.sign(good());
    const answers = await Promise.all(Array.from({ length: 20 }, () => bearing(worker, token)));
    for (const answer of answers) {
      expect([answer.status, answer.problem.code]).toEqual([503, 'temporarily_unavailable']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(25);
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    }
    isRefused(await bearing(worker, await compact({ alg: 'none', kid: 'ec' }, good(), unsigned)));
    expect(await issuer.asked()).toBe(1);
    await issuer.answers(gives(ec.jwk));
    later(30);
    expect((await bearing(worker, await ec.sign(good()))).status).toBe(200);
  });
});
