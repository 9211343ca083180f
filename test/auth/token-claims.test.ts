import { createLocalJWKSet, type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Bearer, verifyToken } from '../../src/auth/verify-token.ts';
import { anIssuer, NOW, SECONDS, theClaims, theRules } from './an-issuer.ts';

const issuer = await anIssuer('ES256');
const keys = createLocalJWKSet(issuer.jwks);
const HOUR = 3600;

const judged = async (claims: JWTPayload, rules = theRules()) =>
  verifyToken(`Bearer ${await issuer.sign(claims)}`, rules, keys, NOW);
const invalid = { reason: 'token_invalid', detail: expect.any(String) };
const acme: Bearer = { clientId: 'acme', scopes: ['search:pass', 'issue:pass'] };

describe('the claims', () => {
  const tolerance = 60;

  it.each`
    claims                                                      | why
    ${{ exp: SECONDS - tolerance + 1 }}                         | ${'it expired within the tolerance'}
    ${{ iat: SECONDS + tolerance - 1, exp: SECONDS + HOUR }}    | ${'it was issued in the future within the tolerance'}
    ${{ nbf: SECONDS + tolerance - 1 }}                         | ${'it begins within the tolerance'}
    ${{ iat: SECONDS, exp: SECONDS + 24 * HOUR }}               | ${'it lives 24 hours'}
    ${{ aud: ['https://other.example', theRules().audience] }}  | ${'one of its audiences is ours'}
    ${{ typ: 'x', jti: 'x', sub: 'x', azp: 'x', anything: {} }} | ${'there are claims nobody asked for'}
  `('$claims are good: $why', async ({ claims }) => {
    expect(await judged(theClaims(claims))).toEqual(acme);
  });

  it.each`
    claims                                                   | why
    ${{ exp: undefined }}                                    | ${'it would never expire'}
    ${{ iat: undefined }}                                    | ${'its lifetime is unknown'}
    ${{ iat: `${SECONDS}` }}                                 | ${'a time is a number'}
    ${{ exp: `${SECONDS + HOUR}` }}                          | ${'a time is a number'}
    ${{ exp: null }}                                         | ${'a time is a number'}
    ${{ exp: SECONDS - tolerance - 1 }}                      | ${'it expired'}
    ${{ iat: SECONDS - 3 * HOUR, exp: SECONDS - 2 * HOUR }}  | ${'it expired long ago'}
    ${{ iat: SECONDS, exp: SECONDS + 24 * HOUR + 1 }}        | ${'it lives longer than 24 hours'}
    ${{ iat: SECONDS - 24 * HOUR, exp: SECONDS + 1 }}        | ${'it lives longer than 24 hours, nearly all of them over'}
    ${{ iat: SECONDS + tolerance + 1, exp: SECONDS + HOUR }} | ${'it was issued in the future'}
    ${{ nbf: SECONDS + tolerance + 1 }}                      | ${'it does not begin yet'}
    ${{ iss: 'https://other.example' }}                      | ${'another issuer'}
    ${{ iss: 'https://issuer.example/' }}                    | ${'an issuer is compared letter by letter'}
    ${{ iss: ['https://issuer.example'] }}                   | ${'an issuer is one'}
    ${{ iss: undefined }}                                    | ${'no issuer'}
    ${{ aud: 'https://other.example' }}                      | ${'another audience'}
    ${{ aud: ['https://other.example'] }}                    | ${'other audiences'}
    ${{ aud: [] }}                                           | ${'no audience'}
    ${{ aud: undefined }}                                    | ${'no audience'}
    ${{ client_id: undefined }}                              | ${'it names no client'}
    ${{ client_id: '' }}                                     | ${'it names no client'}
    ${{ client_id: 5 }}                                      | ${'a client is named by a string'}
    ${{ client_id: ['acme'] }}                               | ${'a client is named by a string'}
  `('$claims are refused: $why', async ({ claims }) => {
    expect(await judged(theClaims(claims))).toEqual(invalid);
  });

  it.each`
    scope                             | scopes
    ${'search:pass'}                  | ${['search:pass']}
    ${' search:pass  issue:pass '}    | ${['search:pass', 'issue:pass']}
    ${['search:pass', 'update:pass']} | ${['search:pass', 'update:pass']}
    ${['search:pass', 5, null]}       | ${['search:pass']}
    ${''}                             | ${[]}
    ${[]}                             | ${[]}
    ${undefined}                      | ${[]}
    ${{ 'search:pass': true }}        | ${[]}
    ${7}                              | ${[]}
  `('with the scope $scope allow $scopes', async ({ scope, scopes }) => {
    expect(await judged(theClaims({ scope }))).toEqual({ clientId: 'acme', scopes });
  });

  it('are read under the configured names, and under no other', async () => {
    const rules = theRules({ clientClaim: 'https://issuer.example/client', scopeClaim: 'permissions' });
    const named = { 'https://issuer.example/client': 'bolt', permissions: ['update:pass'] };
    expect(await judged(theClaims(named), rules)).toEqual({ clientId: 'bolt', scopes: ['update:pass'] });
    expect(await judged(theClaims({ azp: 'acme', sub: 'acme' }), rules)).toEqual(invalid);
    expect(await judged(theClaims({ ...named, permissions: undefined }), rules)).toEqual({
      clientId: 'bolt',
      scopes: [],
    });
  });
});
