import { env } from 'cloudflare:workers';
import { generateKeyPair } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Answer } from './answer.ts';
import { Api, partner, register, tokenOf, workerWith } from './api.ts';
import {
  ALL_SCOPES,
  aPartner,
  aToken,
  type Claims,
  newClientId,
  newGatekeeperNetwork,
  TRUSTING,
  trusting,
} from './issuer.ts';
import { aWallet } from './wallets.ts';

/** Who may call: the same refusals on every route of partners. */

const wallet = aWallet();
const ROUTES = [
  { method: 'POST', path: '/pass', scope: 'search:pass' },
  { method: 'POST', path: '/pass/ethereum/sepolia', scope: 'issue:pass' },
  { method: 'GET', path: `/pass/ethereum/sepolia/${wallet}`, scope: 'search:pass' },
  { method: 'PATCH', path: `/pass/ethereum/sepolia/${wallet}`, scope: 'update:pass' },
  { method: 'DELETE', path: `/pass/ethereum/sepolia/${wallet}`, scope: 'update:pass' },
  { method: 'POST', path: `/pass/ethereum/sepolia/${wallet}/sync`, scope: 'update:pass' },
] as const;
type Route = (typeof ROUTES)[number];

/** The call, with nothing but its authorization in question: without a wallet nothing is issued either. */
const call = (api: Api, { method, path }: Route, headers: Record<string, string> = {}) =>
  api.call(method, path, { headers });
/** What these calls answer when nothing is wrong with the caller. */
const granted = ({ status }: Answer) => status === 200 || status === 400 || status === 404;

const challenge = (answer: Answer) => answer.headers.get('www-authenticate') ?? '';
/** RFC 6750 §3: quoted strings, the description without quotes and backslashes. */
const CHALLENGE =
  /^Bearer realm="[^"\\]+"(, error="[a-z_]+")?(, error_description="[ !#-[\]-~]*")?(, scope="[ !#-[\]-~]+")?$/;

describe.each(ROUTES)('$method $path', (route) => {
  const refusesToken = async (authorization: string) => {
    const answer = await call(new Api(), route, { authorization });
    expect([answer.status, answer.problem.code]).toEqual([401, 'token_invalid']);
    expect(challenge(answer)).toMatch(CHALLENGE);
    expect(challenge(answer)).toContain('error="invalid_token"');
  };

  it('asks for a token, and says no more', async () => {
    const answer = await call(new Api(), route);
    expect([answer.status, answer.problem.code]).toEqual([401, 'token_missing']);
    expect(challenge(answer)).toMatch(CHALLENGE);
    expect(challenge(answer)).not.toContain('error');
  });

  it.each(['Bearer', 'Bearer rubbish', 'Bearer a.b.c', 'Bearer "quoted\\"', 'Bearer e30.e30.'])(
    'does not take %s',
    (authorization) => refusesToken(authorization),
  );

  it('does not take a token of more than 8 KiB', () => refusesToken(`Bearer ${'a'.repeat(9000)}.b.c`));

  it('takes another scheme for no token at all', async () => {
    const answer = await call(new Api(), route, { authorization: 'Basic YWNtZTphY21lLXNlY3JldA==' });
    expect([answer.status, answer.problem.code]).toEqual([401, 'token_missing']);
    expect(challenge(answer)).not.toContain('error=');
  });

  it.each(['', 'openid', `x${route.scope}`, route.scope.toUpperCase()])('needs its scope: %j', async (scope) => {
    const answer = await call(await aPartner({ scope }), route);
    expect([answer.status, answer.problem.code]).toEqual([403, 'insufficient_scope']);
    expect(challenge(answer)).toMatch(CHALLENGE);
    expect(challenge(answer)).toContain(`error="insufficient_scope"`);
    expect(challenge(answer)).toContain(`scope="${route.scope}"`);
    expect(answer.problem.detail).toContain(route.scope);
  });

  it('needs no other scope', async () => {
    expect(await call(await aPartner({ scope: route.scope }), route)).toSatisfy(granted);
  });

  it('knows its partners', async () => {
    const unknown = new Api(await aToken({ client_id: newClientId() }), trusting);
    const answer = await call(unknown, route);
    expect([answer.status, answer.problem.code]).toEqual([403, 'client_unknown']);
    expect(challenge(answer)).toMatch(CHALLENGE);
  });

  it('turns suspended partners away', async () => {
    const answer = await call(await aPartner({ status: 'suspended' }), route);
    expect([answer.status, answer.problem.code]).toEqual([403, 'partner_suspended']);
    expect(challenge(answer)).toMatch(CHALLENGE);
  });
});

describe('tokens of the authorization server', () => {
  it('let viewer search, and neither issue nor change', async () => {
    const viewer = await partner('viewer');
    expect((await viewer.search({})).status).toBe(200);
    expect((await viewer.fetch('ethereum/sepolia', wallet)).status).toBe(404);
    const { problem } = await viewer.issue('ethereum/sepolia', wallet);
    expect([problem.code, problem.detail]).toEqual(['insufficient_scope', expect.stringContaining('issue:pass')]);
    const changes = [
      await viewer.update('ethereum/sepolia', wallet, { state: 'FROZEN' }),
      await viewer.revoke('ethereum/sepolia', wallet),
      await viewer.sync('ethereum/sepolia', wallet),
    ];
    for (const { problem: refusal } of changes) expect(refusal.detail).toContain('update:pass');
  });

  it('work from the moment their client is registered', async () => {
    const globex = new Api(await tokenOf('globex'));
    expect((await globex.search({})).problem.code).toBe('client_unknown');
    await partner('globex');
    expect((await globex.search({})).status).toBe(200);
  });

  it('are taken with the scheme in any case, and not once they were tampered with', async () => {
    const token = await tokenOf('acme');
    await partner('acme');
    const [route] = ROUTES;
    expect((await call(new Api(), route, { authorization: `bearer ${token}` })).status).toBe(200);
    const [head, payload = '', signature] = token.split('.');
    const claims = { ...(JSON.parse(atob(payload)) as Claims), client_id: 'globex' };
    const forged = [head, btoa(JSON.stringify(claims)).replaceAll('=', ''), signature].join('.');
    const answer = await new Api(forged).search({});
    expect(answer.problem.code).toBe('token_invalid');
    expect(answer.text + challenge(answer)).not.toContain(forged);
  });
});

describe('claims', () => {
  const now = Math.floor(Date.now() / 1000);

  const status = async (claims: Claims, key?: CryptoKey) => {
    const clientId = newClientId();
    await register({ clientId, gatekeeperNetwork: newGatekeeperNetwork() });
    return (await new Api(await aToken({ client_id: clientId, ...claims }, key), trusting).search({})).status;
  };

  it.each<[string, Claims, number]>([
    ['good ones', {}, 200],
    ['scopes as an array', { scope: ['issue:pass', 'search:pass'] }, 200],
    ['several audiences', { aud: ['other', env.TOKEN_AUDIENCE] }, 200],
    ['expired within the tolerance', { exp: now - 20 }, 200],
    ['a lifetime of 24 h', { iat: now, exp: now + 86_400 }, 200],
    ['expired', { exp: now - 120 }, 401],
    ['no expiry', { exp: undefined }, 401],
    ['no time of issue', { iat: undefined }, 401],
    ['issued in the future', { iat: now + 120 }, 401],
    ['not valid yet', { nbf: now + 120 }, 401],
    ['a lifetime over 24 h', { iat: now, exp: now + 86_401 }, 401],
    ['another issuer', { iss: 'https://other.example' }, 401],
    ['another audience', { aud: 'other' }, 401],
    ['no audience', { aud: undefined }, 401],
    ['no client', { client_id: undefined }, 401],
    ['a client that is no text', { client_id: ['acme'] }, 401],
    ['more than 8 KiB', { filler: 'x'.repeat(8192) }, 401],
  ])('%s', async (_, claims, expected) => expect(await status(claims)).toBe(expected));

  it('signed with a key the issuer does not have', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    expect(await status({}, privateKey)).toBe(401);
  });

  it('and scopes may have other names', async () => {
    const renamed = workerWith({ ...TRUSTING, CLIENT_CLAIM: 'azp', SCOPE_CLAIM: 'permissions', SCOPE_SEARCH: 'read' });
    const azp = newClientId();
    await register({ clientId: azp, gatekeeperNetwork: newGatekeeperNetwork() });
    const reader = new Api(await aToken({ azp, permissions: ['read'], scope: '' }), renamed);
    expect((await reader.search({})).status).toBe(200);
    const other = new Api(await aToken({ azp, client_id: azp, scope: ALL_SCOPES }), renamed);
    expect((await other.search({})).problem.code).toBe('insufficient_scope');
  });
});

describe('suspension', () => {
  afterEach(() => void vi.useRealTimers());

  it('takes effect within 60 s', async () => {
    const clientId = newClientId();
    const gatekeeperNetwork = newGatekeeperNetwork();
    const api = await aPartner({ clientId, gatekeeperNetwork });
    expect((await api.search({})).status).toBe(200);
    await register({ clientId, gatekeeperNetwork, status: 'suspended' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    expect((await api.search({})).problem.code).toBe('partner_suspended');
    await register({ clientId, gatekeeperNetwork });
    vi.setSystemTime(Date.now() + 60_000);
    expect((await api.search({})).status).toBe(200);
  });
});
