import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { expectProblem } from '../../problem.ts';
import { anEndpoint } from '../auth/an-endpoint.ts';
import { anIssuer } from '../auth/an-issuer.ts';
import { linesOf } from '../lines-of.ts';
import { failing, hanging, UnreliableDatabase } from '../store/unreliable.ts';
import { Api, workerWith } from './api.ts';
import { TRUSTING } from './issuer.ts';

/** Whether the parts of the service answer, as a probe without a token sees it. */

const [ec, rsa] = await Promise.all([anIssuer('ES256', 'ec'), anIssuer('RS256', 'rsa')]);

const errors = vi.spyOn(console, 'error');
beforeEach(() => void errors.mockReset());
afterEach(() => void vi.useRealTimers());

const ready = (api: Api) => api.call('GET', '/health/ready');
const serviceWith = (changes: object) => new Api(undefined, workerWith({ ...TRUSTING, ...changes }));
const READY = { status: 'ready', checks: ['databases', 'issuerKeys', 'signer'] };

/** Signers that do this with every call. */
const signersThat = (begin: () => Promise<void>) => ({ getByName: () => ({ begin }) });
const UNUSED = new Proxy({}, { get: () => expect.unreachable('a request without a need') });

it('is ready if every database, the issuer keys and a signer answer', async () => {
  const answer = await ready(serviceWith({}));
  expect([answer.status, JSON.parse(answer.text)]).toEqual([200, READY]);
  for (const event of ['request.failed', 'issuer.keys_unavailable', 'signer.unreachable'])
    expect(linesOf(errors, event)).toEqual([]);
});

const databaseThat = (manner: typeof hanging) => Object.assign(new UnreliableDatabase(), { manner });

describe('a part that does not answer', () => {
  it.each([
    ['a database that fails', '/databases', { DB: databaseThat(failing('D1_ERROR: no such table: passes')) }],
    ['a database that never answers', '/databases', { DB: databaseThat(hanging) }],
    ['the second database', '/databases', { DB_1: databaseThat(failing('D1_ERROR: Network connection lost.')) }],
    ['a database that is closed for a restore', '/databases', { CLOSED_SHARDS: 'DB_1' }],
    ['an issuer that refuses the connection', '/issuerKeys', { JWKS_URL: 'http://127.0.0.1:9/nobody' }],
    ['a signer that fails', '/signer', { SIGNERS: signersThat(() => Promise.reject(new Error('overloaded'))) }],
    ['a signer that never answers', '/signer', { SIGNERS: signersThat(() => new Promise(() => {})) }],
    ['a service without an endpoint', '/signer', { RPC_ENDPOINTS: '{}' }],
  ])('%s makes it not ready and affects no other check', async (_, pointer, changes) => {
    const api = serviceWith(changes);
    const answer = await ready(api);
    expectProblem(answer, 'temporarily_unavailable', { retryAfter: '5' });
    expect(JSON.parse(answer.text).errors).toEqual([{ pointer, detail: 'does not answer' }]);
    // The configuration is still valid.
    expect((await api.call('GET', '/health')).status).toBe(200);
  });

  it.each([
    ['an encryption key', [{ ...ec.jwk, use: 'enc' }]],
    ['a key of another algorithm', [{ ...rsa.jwk, alg: 'RS512' }]],
    ['a key without its values, and none', [{ kty: 'EC', kid: 'ec', crv: 'P-256' }, null]],
  ])('an issuer whose key set has only %s makes it not ready: every token would be refused', async (_, keys) => {
    const { url } = await anEndpoint({ body: JSON.stringify({ keys }) });
    const answer = await ready(serviceWith({ JWKS_URL: url }));
    expect(JSON.parse(answer.text).errors).toEqual([{ pointer: '/issuerKeys', detail: 'does not answer' }]);
    const repaired = await anEndpoint({ body: JSON.stringify({ keys: [...keys, ec.jwk, ec.jwk] }) });
    expect((await ready(serviceWith({ JWKS_URL: repaired.url }))).status).toBe(200);
  });

  it('shows every check that failed, and no text of the fault', async () => {
    const DB = databaseThat(failing('D1_ERROR: planted7f3a'));
    const SIGNERS = signersThat(() => Promise.reject(new Error('planted7f3a')));
    const answer = await ready(serviceWith({ DB, SIGNERS, JWKS_URL: 'http://127.0.0.1:9/planted7f3a' }));
    expect(JSON.parse(answer.text).errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/databases',
      '/issuerKeys',
      '/signer',
    ]);
    expect(answer.text).not.toContain('planted7f3a');
  });
});

it('asks each part once for all requests of five seconds, and again afterwards', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const DB = new UnreliableDatabase();
  const begin = vi.fn(async () => {});
  const SIGNERS = signersThat(begin);
  const api = serviceWith({ DB, SIGNERS });
  const together = await Promise.all(Array.from({ length: 50 }, () => ready(api)));
  expect(together.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect([DB.asked, begin.mock.calls.length]).toEqual([1, 1]);
  DB.manner = failing('D1_ERROR: Network connection lost.');
  vi.setSystemTime(Date.now() + 4_999);
  expect((await ready(api)).status).toBe(200);
  expect([DB.asked, begin.mock.calls.length]).toEqual([1, 1]);
  vi.setSystemTime(Date.now() + 1);
  expect((await ready(api)).status).toBe(503);
  // A failure is kept for as long.
  DB.manner = (work) => work();
  expect((await ready(api)).status).toBe(503);
  expect([DB.asked, begin.mock.calls.length]).toEqual([2, 2]);
  vi.setSystemTime(Date.now() + 5_000);
  expect((await ready(api)).status).toBe(200);
});

it('counts for the limit of the address before it asks anything', async () => {
  const ADDRESS_LIMIT = { limit: async () => ({ success: false }) };
  expectProblem(await ready(serviceWith({ ADDRESS_LIMIT, DB: UNUSED, SIGNERS: UNUSED })), 'rate_limited');
});

it('asks no node', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch');
  const RPC_ENDPOINTS = JSON.stringify({ sepolia: ['http://127.0.0.1:9/node'] });
  expect((await ready(serviceWith({ RPC_ENDPOINTS, SIGNERS: (env as Env).SIGNERS }))).status).toBe(200);
  expect(fetched.mock.calls.filter(([url]) => String(url).includes(':9/'))).toEqual([]);
});
