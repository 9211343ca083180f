import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  ADMIN_AUDIENCE,
  ADMIN_SCOPE,
  AUDIENCE,
  METRICS_SCOPE,
  OPERATOR,
  SCOPES,
} from '../../../../../tools/localnet/oauth/partners.ts';
import { type OAuthServer, startOAuthServer } from '../../../../../tools/localnet/oauth/server.ts';

const GRANT = { grant_type: 'client_credentials' };
const ACME = { client_id: 'acme', client_secret: 'acme-secret' };
const VIEWER = { client_id: 'viewer', client_secret: 'viewer-secret' };
const BASIC = { authorization: `Basic ${btoa('acme:acme-secret')}` };

let server: OAuthServer;
const printed = vi.spyOn(console, 'info');
const warned = vi.spyOn(console, 'warn');

beforeAll(async () => {
  server = await startOAuthServer();
});
afterAll(() => {
  vi.restoreAllMocks();
  return server.stop();
});

async function post(body: string | URLSearchParams, headers: Record<string, string> = {}, to = server) {
  const response = await fetch(to.tokenUrl, { method: 'POST', body, headers });
  return { status: response.status, answer: (await response.json()) as Record<string, string> };
}
const form = (fields: Record<string, string>, headers = {}) => post(new URLSearchParams(fields), headers);
const json = (fields: object) => post(JSON.stringify(fields), { 'content-type': 'application/json' });

async function claimsOf({ answer }: Awaited<ReturnType<typeof post>>, from = server, audience = AUDIENCE) {
  const keys = createRemoteJWKSet(new URL(from.jwksUrl));
  return (await jwtVerify(answer.access_token ?? '', keys, { issuer: from.issuer, audience, typ: 'at+jwt' })).payload;
}

describe('client authentication', () => {
  it.each([
    ['by HTTP Basic', () => form(GRANT, BASIC)],
    ['in the form', () => form({ ...GRANT, ...ACME })],
    ['in a JSON body with an audience', () => json({ ...GRANT, ...ACME, audience: AUDIENCE })],
    ['in a JSON body without an audience', () => json({ ...GRANT, ...ACME })],
  ])('the server answers client credentials %s with a token for all scopes', async (_how, request) => {
    const got = await request();
    expect(got).toMatchObject({ status: 200, answer: { token_type: 'Bearer', expires_in: 3600 } });
    expect(decodeProtectedHeader(got.answer.access_token ?? '')).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
    const claims = await claimsOf(got);
    expect(claims).toMatchObject({ client_id: 'acme', aud: AUDIENCE, iss: server.issuer, scope: SCOPES.join(' ') });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600);
  });

  it('the server refuses wrong client credentials', async () => {
    expect(await form({ ...GRANT, ...ACME, client_secret: 'guess' })).toMatchObject({ status: 401 });
    expect(await json({ ...GRANT, ...ACME, client_secret: 'guess' })).toMatchObject({ status: 401 });
    expect(await post('{', { 'content-type': 'application/json' })).toMatchObject({ status: 400 });
  });
});

describe('scopes', () => {
  it('the server grants all scopes of the client to a request without scopes', async () => {
    expect(await claimsOf(await form({ ...GRANT, ...VIEWER }))).toMatchObject({ scope: 'search:pass' });
  });

  it('the server grants exactly the requested scopes', async () => {
    expect(await claimsOf(await form({ ...GRANT, scope: 'issue:pass' }, BASIC))).toMatchObject({ scope: 'issue:pass' });
  });

  it('the server refuses scopes that the client does not have', async () => {
    const got = await form({ ...GRANT, ...VIEWER, scope: 'search:pass issue:pass' });
    expect(got).toMatchObject({ status: 400, answer: { error: 'invalid_scope' } });
  });
});

describe('the operator', () => {
  const operator = { client_id: OPERATOR.clientId, client_secret: OPERATOR.clientSecret };

  it('the server gives the operator a token for the admin API with the admin scope', async () => {
    const claims = await claimsOf(await form({ ...GRANT, ...operator }), server, ADMIN_AUDIENCE);
    expect(claims).toMatchObject({
      client_id: 'operator',
      aud: ADMIN_AUDIENCE,
      scope: `${ADMIN_SCOPE} ${METRICS_SCOPE}`,
    });
  });

  it.each([
    ['a partner the audience of the admin API', { ...ACME, resource: ADMIN_AUDIENCE }, 'invalid_target'],
    ['the operator the audience of the partner API', { ...operator, resource: AUDIENCE }, 'invalid_target'],
    ['a partner the admin scope', { ...ACME, scope: ADMIN_SCOPE }, 'invalid_scope'],
  ])('the server refuses %s', async (_, fields, error) => {
    expect(await form({ ...GRANT, ...fields })).toMatchObject({ status: 400, answer: { error } });
  });
});

it('the server refuses an unknown audience', async () => {
  const got = await json({ ...GRANT, ...ACME, audience: 'https://elsewhere.example' });
  expect(got).toMatchObject({ status: 400, answer: { error: 'invalid_target' } });
});

it('the server keeps its signing key in the state folder after a restart', async () => {
  const state = mkdtempSync(join(tmpdir(), 'gatepass-test-'));
  onTestFinished(() => rmSync(state, { recursive: true }));
  const first = await startOAuthServer({ state });
  const port = Number(new URL(first.issuer).port);
  const got = await post(new URLSearchParams(GRANT), BASIC, first);
  await first.stop();

  const second = await startOAuthServer({ state, port });
  expect(await claimsOf(got, second)).toMatchObject({ client_id: 'acme' });
  await second.stop();
});

it('the server prints nothing to the console', () => {
  expect(printed).not.toHaveBeenCalled();
  expect(warned).not.toHaveBeenCalled();
});
