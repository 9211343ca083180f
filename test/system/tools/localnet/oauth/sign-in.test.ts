import { createHash, randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDIENCE, SCOPES } from '../../../../../tools/localnet/oauth/partners.ts';
import { type OAuthServer, startOAuthServer } from '../../../../../tools/localnet/oauth/server.ts';

/** The sign-in of people with the code flow and PKCE, as a browser sends it. */

const REDIRECT = 'http://127.0.0.1:4711/console/callback';

let server: OAuthServer;
beforeAll(async () => {
  server = await startOAuthServer();
});
afterAll(() => server.stop());

const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');
const REQUEST = {
  client_id: 'console',
  redirect_uri: REDIRECT,
  response_type: 'code',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  scope: SCOPES.join(' '),
  state: 'the state',
  resource: AUDIENCE,
};

/** A browser that follows no redirect and keeps cookies. */
function browser() {
  const cookies = new Map<string, string>();
  return async (url: string, init: RequestInit = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(url, server.issuer), { ...init, redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
}

/** Returns the answer to the callback after the choice of an account. */
async function signIn(account: string, request: Record<string, string> = REQUEST): Promise<URLSearchParams> {
  const visit = browser();
  const page = (await visit(`/auth?${new URLSearchParams(request)}`)).headers.get('location') ?? '';
  expect(await (await visit(page)).text()).toContain('Staff of the partner acme');
  const chosen = await visit(page, { method: 'POST', body: new URLSearchParams({ account }) });
  const resumed = await visit(chosen.headers.get('location') ?? '');
  return new URL(resumed.headers.get('location') ?? '').searchParams;
}

async function exchange(code: string, fields: Record<string, string> = {}) {
  const body = { grant_type: 'authorization_code', client_id: 'console', redirect_uri: REDIRECT, code };
  const form = new URLSearchParams({ ...body, code_verifier: verifier, ...fields });
  const response = await fetch(server.tokenUrl, { method: 'POST', body: form });
  return { status: response.status, answer: (await response.json()) as Record<string, string> };
}

describe('a sign-in', () => {
  it('gives the person a token with the subject, the organization and the scopes of the person', async () => {
    const answer = await signIn('staff');
    expect(answer.get('state')).toBe('the state');
    const { answer: token } = await exchange(answer.get('code') ?? '');
    expect(token.scope).toBe(SCOPES.join(' '));
    expect(decodeJwt(token.access_token ?? '')).toMatchObject({
      sub: 'staff',
      client_id: 'console',
      aud: AUDIENCE,
      org_id: 'org_acme',
      scope: SCOPES.join(' '),
    });
  });

  it('grants no scope that the person lacks, and no organization to a person without one', async () => {
    const viewer = await exchange((await signIn('viewer-staff')).get('code') ?? '');
    expect(viewer.answer.scope).toBe('search:pass');
    const stranger = await exchange((await signIn('stranger')).get('code') ?? '');
    expect(decodeJwt(stranger.answer.access_token ?? '')).not.toHaveProperty('org_id');
    expect((await signIn('operator')).get('error')).toBe('access_denied');
  });

  it('gives no token without the verifier, and for a code only once', async () => {
    const code = (await signIn('staff')).get('code') ?? '';
    expect(await exchange(code, { code_verifier: 'x'.repeat(43) })).toMatchObject({ status: 400 });
    const second = (await signIn('staff')).get('code') ?? '';
    expect((await exchange(second)).status).toBe(200);
    expect(await exchange(second)).toMatchObject({ status: 400, answer: { error: 'invalid_grant' } });
  });

  it.each([
    ['another callback', { redirect_uri: 'http://127.0.0.1:4711/elsewhere' }],
    ['no PKCE', { code_challenge: '', code_challenge_method: '' }],
    ['an unknown client', { client_id: 'acme' }],
  ])('is refused with %s', async (_, changes) => {
    const response = await browser()(`/auth?${new URLSearchParams({ ...REQUEST, ...changes })}`);
    const location = response.headers.get('location') ?? '';
    expect(response.status === 400 || /[?&]error=/.test(location)).toBe(true);
  });

  it('needs no choice in a browser that is signed in, until the browser asks for it or signs out', async () => {
    const visit = browser();
    const authorize = async (more: Record<string, string> = {}) =>
      (await visit(`/auth?${new URLSearchParams({ ...REQUEST, ...more })}`)).headers.get('location') ?? '';
    const page = await authorize();
    const chosen = await visit(page, { method: 'POST', body: new URLSearchParams({ account: 'staff' }) });
    await visit(chosen.headers.get('location') ?? '');
    expect(await authorize()).toContain('/console/callback?code=');
    expect(await authorize({ prompt: 'login' })).toContain('/sign-in/');
    const home = REDIRECT.replace('/callback', '');
    const ask = new URLSearchParams({ client_id: 'console', post_logout_redirect_uri: home });
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(await (await visit(`/session/end?${ask}`)).text()) ?? [];
    const body = new URLSearchParams({ xsrf, logout: 'yes' });
    expect((await visit('/session/end/confirm', { method: 'POST', body })).headers.get('location')).toBe(home);
    expect(await authorize()).toContain('/sign-in/');
    const elsewhere = new URLSearchParams({ client_id: 'console', post_logout_redirect_uri: `${home}/elsewhere` });
    expect((await visit(`/session/end?${elsewhere}`)).status).toBe(400);
  });

  it('fails for an unknown account', async () => {
    const visit = browser();
    const page = (await visit(`/auth?${new URLSearchParams(REQUEST)}`)).headers.get('location') ?? '';
    const chosen = await visit(page, { method: 'POST', body: new URLSearchParams({ account: 'nobody' }) });
    expect([chosen.status, await chosen.text()]).toEqual([400, expect.stringContaining('no such account')]);
  });
});
