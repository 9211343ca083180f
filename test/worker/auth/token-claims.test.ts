import { createLocalJWKSet, type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Bearer, verifyToken } from '../../../src/auth/verify-token.ts';
import { anIssuer, NOW, SECONDS, theClaims, theRules } from './an-issuer.ts';

/** Claims of correctly signed tokens. */

const issuer = await anIssuer('ES256');
const keys = createLocalJWKSet(issuer.jwks);
const [HOUR, DAY] = [3600, 86_400];
const YEAR_9999 = 253_402_300_799;

/** Claims, or the JSON of them. */
const judged = async (claims: JWTPayload | string, rules = theRules()) =>
  verifyToken(`Bearer ${await issuer.sign(claims)}`, rules, keys, NOW);
const because = (detail: RegExp) => ({
  type: 'token_invalid',
  reason: expect.any(String),
  detail: expect.stringMatching(detail),
});
const acme: Bearer = {
  clientId: 'acme',
  scopes: ['search:pass', 'issue:pass'],
  claims: expect.any(Object),
  expiresAt: expect.any(Number),
};

const LIFETIME = /lives longer than 24 hours$/;
const FUTURE = /issued in the future$/;

describe('the times of a token', () => {
  it.each`
    claims                                                   | why
    ${{ iat: SECONDS - HOUR, exp: SECONDS - 59 }}            | ${'it expired 59 seconds ago: clocks differ'}
    ${{ nbf: SECONDS + 60 }}                                 | ${'it begins in 60 seconds: clocks differ'}
    ${{ iat: SECONDS + 60 }}                                 | ${'it was issued 60 seconds ahead: clocks differ'}
    ${{ iat: SECONDS, exp: SECONDS + DAY }}                  | ${'it lives 24 hours'}
    ${{ iat: SECONDS - DAY - 59, exp: SECONDS - 59 }}        | ${'it lived 24 hours'}
    ${{ iat: SECONDS - 1.5, exp: SECONDS + 0.5, nbf: -0.5 }} | ${'a time may have a fraction (RFC 7519 §2)'}
    ${{ nbf: 0, auth_time: 0 }}                              | ${'it was always valid, as with old Keycloak versions'}
  `('accepts $claims: $why', async ({ claims }) => {
    expect(await judged(theClaims(claims))).toEqual(acme);
  });

  it.each`
    claims                                                   | detail                | why
    ${{ iat: SECONDS - HOUR, exp: SECONDS - 60 }}            | ${/^"exp"/}           | ${'it expired 60 seconds ago'}
    ${{ iat: SECONDS - 3 * HOUR, exp: SECONDS - 2 * HOUR }}  | ${/^"exp"/}           | ${'it expired long ago'}
    ${{ nbf: SECONDS + 61 }}                                 | ${/^"nbf"/}           | ${'it is not valid yet'}
    ${{ iat: SECONDS + 61 }}                                 | ${FUTURE}             | ${'it was issued in the future'}
    ${{ exp: undefined }}                                    | ${/required "exp"/}   | ${'it would never expire: no exp'}
    ${{ iat: undefined }}                                    | ${/required "iat"/}   | ${'its lifetime is unknown: no iat'}
    ${{ exp: YEAR_9999 }}                                    | ${LIFETIME}           | ${'it expires in the year 9999'}
    ${{ exp: YEAR_9999, iat: YEAR_9999 - HOUR }}             | ${FUTURE}             | ${'all its hour is in the year 9999'}
    ${{ iat: SECONDS, exp: SECONDS + DAY + 1 }}              | ${LIFETIME}           | ${'it lives longer than 24 hours'}
    ${{ iat: SECONDS - DAY, exp: SECONDS + 1 }}              | ${LIFETIME}           | ${'it lives longer, nearly all of it over'}
    ${{ iat: 0 }}                                            | ${LIFETIME}           | ${'it was issued in 1970'}
    ${{ iat: -HOUR }}                                        | ${LIFETIME}           | ${'it was issued before 1970'}
    ${{ exp: (SECONDS + HOUR) * 1000, iat: SECONDS * 1000 }} | ${LIFETIME}           | ${'milliseconds'}
    ${{ exp: `${SECONDS + HOUR}` }}                          | ${/"exp".* a number/} | ${'a time is a number'}
    ${{ iat: `${SECONDS}` }}                                 | ${/"iat".* a number/} | ${'a time is a number'}
    ${{ nbf: `${SECONDS}` }}                                 | ${/"nbf".* a number/} | ${'a time is a number'}
    ${{ exp: null }}                                         | ${/"exp".* a number/} | ${'a time is a number'}
    ${{ exp: [SECONDS + HOUR] }}                             | ${/"exp".* a number/} | ${'a time is a number'}
    ${{ exp: true }}                                         | ${/"exp".* a number/} | ${'a time is a number'}
  `('refuses $claims: $why', async ({ claims, detail }) => {
    expect(await judged(theClaims(claims))).toEqual(because(detail));
  });

  it.each(['"exp":1e999', '"iat":1e999', '"iat":-1e999', '"exp":1e999,"iat":1e999', '"nbf":1e999'])(
    'refuses infinite times: %s',
    async (times) => {
      const json = JSON.stringify(theClaims());
      expect(await judged(`${json.slice(0, -1)},${times}}`)).toEqual(because(/24 hours$|in the future$|"nbf"/));
    },
  );
});

describe('the issuer of a token', () => {
  it.each`
    iss                                              | why
    ${'https://other.example'}                       | ${'another'}
    ${'https://issuer.example/'}                     | ${'a slash at the end'}
    ${'https://Issuer.example'}                      | ${'another case'}
    ${'HTTPS://issuer.example'}                      | ${'another case'}
    ${'https://issuer.example '}                     | ${'a space at the end'}
    ${'http://issuer.example'}                       | ${'without TLS'}
    ${'https://issuer.example.evil.example'}         | ${'ours is its beginning'}
    ${'https://evil.example/https://issuer.example'} | ${'ours is its end'}
    ${'https://issuer.example\0'}                    | ${'a NUL at the end'}
    ${'https://ıssuer.example'}                      | ${'a letter that looks like ours'}
    ${['https://issuer.example']}                    | ${'an array'}
    ${''}                                            | ${'empty'}
    ${null}                                          | ${'null'}
    ${undefined}                                     | ${'missing'}
  `('refuses the issuer $iss: $why', async ({ iss }) => {
    expect(await judged(theClaims({ iss }))).toEqual(because(/"iss"/));
  });

  it('accepts a configured issuer with a slash, as of Auth0, only with the slash', async () => {
    const rules = theRules({ issuer: 'https://issuer.example/' });
    expect(await judged(theClaims({ iss: 'https://issuer.example/' }), rules)).toEqual(acme);
    expect(await judged(theClaims(), rules)).toEqual(because(/"iss"/));
  });
});

describe('the audience of a token', () => {
  const ours = theRules().audience;

  it.each([ours, [ours], ['https://other.example', ours, 'account']].map((aud) => ({ aud })))(
    'accepts the audience $aud',
    async (claims) => expect(await judged(theClaims(claims))).toEqual(acme),
  );

  it.each`
    aud                                        | why
    ${undefined}                               | ${'missing, as of Cognito without resource binding'}
    ${null}                                    | ${'null'}
    ${''}                                      | ${'empty'}
    ${[]}                                      | ${'an empty array'}
    ${'https://other.example'}                 | ${'another'}
    ${['https://other.example', 'account']}    | ${'an array of others'}
    ${ours.slice(0, -1)}                       | ${'a substring of ours'}
    ${`${ours}/`}                              | ${'ours is a substring of it'}
    ${[ours.slice(8), `${ours}.evil.example`]} | ${'an array of such'}
    ${ours.toUpperCase()}                      | ${'another case'}
    ${`https://other.example ${ours}`}         | ${'two in one string'}
    ${`["${ours}"]`}                           | ${'an array as text'}
    ${[[ours]]}                                | ${'an array in an array'}
    ${{ [ours]: true }}                        | ${'an object'}
    ${{ 0: ours, length: 1 }}                  | ${'an object like an array'}
    ${7}                                       | ${'a number'}
    ${true}                                    | ${'a boolean'}
  `('refuses the audience $aud: $why', async ({ aud }) => {
    expect(await judged(theClaims({ aud }))).toEqual(because(/"aud"/));
  });
});

describe('the client of a token', () => {
  it.each(['acme', '0oa1b2c3', 'x'.repeat(256), 'a b~!"', '6a1f0c1e-0000-4000-8000-000000000000'])(
    'reads the client %j',
    async (clientId) => expect(await judged(theClaims({ client_id: clientId }))).toMatchObject({ clientId }),
  );

  it.each([
    undefined,
    null,
    '',
    5,
    ['acme'],
    { id: 'acme' },
    'x'.repeat(257),
    'a\nb',
    'acme\n',
    'a\0',
    'é',
    'a\u202eb',
    '\ud800',
  ])('refuses the client %j', async (clientId) => {
    expect(await judged(theClaims({ client_id: clientId }))).toEqual(
      because(/^the access token does not name a client$/),
    );
  });

  it('reads the client from the configured claim only', async () => {
    const elsewhere = { azp: 'acme', sub: 'acme', cid: 'acme', appid: 'acme' };
    expect(await judged(theClaims({ ...elsewhere, client_id: undefined }))).toEqual(because(/does not name a client$/));
    expect(await judged(theClaims({ ...elsewhere, client_id: 'bolt' }))).toMatchObject({ clientId: 'bolt' });
    const rules = theRules({ clientClaim: 'azp' });
    expect(await judged(theClaims(), rules)).toEqual(because(/does not name a client$/));
    expect(await judged(theClaims({ azp: 'bolt' }), rules)).toMatchObject({ clientId: 'bolt' });
  });
});

describe('tokens for another purpose', () => {
  it.each([
    ['an ID token: nonce', { nonce: 'n-0S6_WzA2Mj' }],
    ['an ID token: at_hash', { at_hash: '77QmUPtjPfzWtF2AnpK9RQ' }],
    ['an ID token: c_hash', { c_hash: 'LDktKdoQak3Pk0cnXxCltA' }],
    ['an ID token of Cognito', { token_use: 'id' }],
    ['an ID token of Keycloak', { typ: 'ID' }],
    ['a refresh token of Keycloak', { typ: 'Refresh' }],
    ['an offline token of Keycloak', { typ: 'Offline' }],
    ['a logout token of Keycloak', { typ: 'Logout' }],
  ])('refuses a token that is no access token, though its audience is right: %s', async (_, claims) => {
    expect(await judged(theClaims(claims))).toEqual(because(/^this is not an access token$/));
  });

  it('refuses by its audience an ID token that has no other mark', async () => {
    const claims = { aud: 'acme', azp: 'acme', sub: 'user', auth_time: SECONDS, acr: '1', email: 'a@b.example' };
    expect(await judged(theClaims(claims))).toEqual(because(/"aud"/));
  });

  it.each([
    ['Auth0', { azp: 'acme', sub: 'acme@clients', gty: 'client-credentials' }],
    ['Okta', { ver: 1, jti: 'AT.x', cid: 'acme', sub: 'acme', scp: ['search:pass', 'issue:pass'] }],
    ['Keycloak', { typ: 'Bearer', azp: 'acme', sub: 'x', acr: '1', clientHost: '::1', realm_access: { roles: [] } }],
    ['Entra ID', { azp: 'acme', azpacr: '1', idtyp: 'app', aio: 'x', rh: 'x', uti: 'x', ver: '2.0', tid: 'x' }],
    ['Cognito', { token_use: 'access', sub: 'acme', version: 2, auth_time: SECONDS, jti: 'x' }],
    ['an issuer with its own idea of typ', { typ: 'x', jti: 'x', sub: 'x', anything: {} }],
  ])('accepts the extra claims of an access token of %s', async (_, claims) => {
    expect(await judged(theClaims(claims))).toEqual(acme);
  });
});

describe('the scopes of a token', () => {
  it.each`
    scope                             | scopes
    ${'search:pass'}                  | ${['search:pass']}
    ${' search:pass  issue:pass '}    | ${['search:pass', 'issue:pass']}
    ${['search:pass', 'update:pass']} | ${['search:pass', 'update:pass']}
    ${['search:pass', 5, null]}       | ${['search:pass']}
    ${''}                             | ${[]}
    ${[]}                             | ${[]}
  `('reads the scopes $scopes from $scope', async ({ scope, scopes }) => {
    expect(await judged(theClaims({ scope }))).toMatchObject({ clientId: 'acme', scopes });
  });

  it('reads the scopes from the configured claim only', async () => {
    const rules = theRules({ clientClaim: 'https://issuer.example/client', scopeClaim: 'permissions' });
    const named = { 'https://issuer.example/client': 'bolt', permissions: ['update:pass'] };
    expect(await judged(theClaims(named), rules)).toMatchObject({ clientId: 'bolt', scopes: ['update:pass'] });
    const without = theClaims({ ...named, permissions: undefined });
    expect(await judged(without, rules)).toMatchObject({ clientId: 'bolt', scopes: [] });
  });

  it.each([undefined, null, 7, true, { 'search:pass': true }])('reads no scopes from %j', async (scope) => {
    expect(await judged(theClaims({ scope }))).toMatchObject({ clientId: 'acme', scopes: [] });
  });
});

describe('a claim that is a path', () => {
  const roles = ['search:pass', 'update:pass'];

  it.each([
    ['the roles of a realm', 'realm_access.roles', { realm_access: { roles } }],
    ['the roles of a client', 'resource_access.gatepass.roles', { resource_access: { gatepass: { roles } } }],
    [
      'the roles of a client whose name has dots',
      'resource_access.https://api.acme.com.roles',
      { resource_access: { 'https://api.acme.com': { roles } } },
    ],
    ['a name that is a URL', 'https://example.com/roles', { 'https://example.com/roles': roles }],
    ['a name that has dots', 'com.example.roles', { 'com.example.roles': roles, com: { example: { roles: ['x'] } } }],
  ])('reads %s', async (_, scopeClaim, claims) => {
    expect(await judged(theClaims({ ...claims, scope: undefined }), theRules({ scopeClaim }))).toMatchObject({
      scopes: roles,
    });
  });

  it.each([
    ['has no such object', {}],
    ['has an object without the name', { realm_access: { groups: roles } }],
    ['has a list on the way', { realm_access: [{ roles }] }],
    ['has a text on the way', { realm_access: 'roles' }],
    ['has null on the way', { realm_access: null }],
    ['has the name elsewhere', { roles, scope: 'search:pass' }],
    ['has null under the whole name', { 'realm_access.roles': null, realm_access: { roles } }],
  ])('gives no scopes if the token %s', async (_, claims) => {
    const rules = theRules({ scopeClaim: 'realm_access.roles' });
    expect(await judged(theClaims(claims), rules)).toMatchObject({ scopes: [] });
  });

  it('reads only what the token itself has', async () => {
    for (const scopeClaim of [
      'constructor.name',
      '__proto__.constructor.name',
      'realm_access.constructor.name',
      '.',
      '..',
    ])
      expect(await judged(theClaims({ realm_access: {} }), theRules({ scopeClaim }))).toMatchObject({ scopes: [] });
  });

  it('names the client too', async () => {
    const rules = theRules({ clientClaim: 'actor.client' });
    expect(await judged(theClaims({ actor: { client: 'bolt' } }), rules)).toMatchObject({ clientId: 'bolt' });
  });
});

describe('a token without an audience', () => {
  const binding = { claim: 'token_use', value: 'access' };
  const bound = theRules({ audience: 'gatepass', binding });
  const cognito = { aud: undefined, token_use: 'access', scope: 'gatepass/search:pass gatepass/issue:pass' };

  it('is accepted if it has the configured claim', async () => {
    expect(await judged(theClaims(cognito), bound)).toMatchObject({
      clientId: 'acme',
      scopes: ['gatepass/search:pass', 'gatepass/issue:pass'],
    });
  });

  it('has only the scopes of this API', async () => {
    const scope =
      'search:pass other/search:pass gatepass gatepass/issue:pass gatepass-2/search:pass GATEPASS/search:pass';
    expect(await judged(theClaims({ ...cognito, scope }), bound)).toMatchObject({ scopes: ['gatepass/issue:pass'] });
  });

  it.each([
    ['has no such claim', { token_use: undefined }, /has no "aud", and not the value of TOKEN_BINDING in "token_use"$/],
    ['has another value', { token_use: 'id' }, /has no "aud", and not/],
    ['has the value in a list', { token_use: ['access'] }, /has no "aud", and not/],
    ['has expired', { exp: SECONDS - 60 }, /^"exp"/],
    ['is of another issuer', { iss: 'https://other.example' }, /"iss"/],
    ['is an ID token', { nonce: 'x' }, /not an access token$/],
    ['names no client', { client_id: undefined }, /does not name a client$/],
    ['is for another API', { aud: 'https://other.example' }, /"aud"/],
    ['has an audience of null', { aud: null }, /"aud"/],
    ['has an empty audience', { aud: [] }, /"aud"/],
  ])('is refused if it %s', async (_, claims, detail) => {
    expect(await judged(theClaims({ ...cognito, ...claims }), bound)).toEqual(because(detail));
  });

  it('may have an audience instead, and then needs nothing else', async () => {
    const claims = { aud: 'gatepass', token_use: undefined, scope: 'search:pass' };
    expect(await judged(theClaims(claims), bound)).toMatchObject({ scopes: ['search:pass'] });
  });

  it('is refused without a binding, whatever it has', async () => {
    expect(await judged(theClaims(cognito), theRules({ audience: 'gatepass' }))).toEqual(because(/"aud"/));
  });
});
