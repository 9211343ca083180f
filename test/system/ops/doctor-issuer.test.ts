import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lineOf } from '../../../ops/doctor/check.ts';
import { checkIssuers } from '../../../ops/doctor/issuer.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import { type OAuthServer, startOAuthServer } from '../../../tools/localnet/oauth/server.ts';
import { type SpecialIssuer, type StubbedAnswer, startSpecialIssuer } from '../../special-issuer.ts';

/** The findings of `npm run doctor` about the issuers of tokens. */

let oauth: OAuthServer;
let special: { issuer: SpecialIssuer; stop(): void };
let origin: string;

beforeAll(async () => {
  [oauth, special] = await Promise.all([startOAuthServer(), startSpecialIssuer()]);
  origin = new URL(special.issuer.jwksUrl).origin;
});

afterAll(async () => {
  special?.stop();
  await oauth?.stop();
});

/** Resolves to the lines about issuers, with these changes to correct variables. */
async function lines(changes: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const config = configOf({
    DEPLOYMENT: 'local',
    TOKEN_ISSUER: oauth.issuer,
    TOKEN_AUDIENCE: 'a',
    JWKS_URL: oauth.jwksUrl,
    TOKEN_ALGORITHMS: 'ES256 RS256',
    CLIENT_CLAIM: 'client_id',
    SCOPE_CLAIM: 'scope',
    ...{ SCOPE_SEARCH: 'search', SCOPE_ISSUE: 'issue', SCOPE_UPDATE: 'update' },
    ...changes,
  });
  return (await checkIssuers(config)).map(lineOf);
}

const stub = (path: string, answer: StubbedAnswer) =>
  fetch(origin + path, { method: 'PUT', body: JSON.stringify(answer) }).then(() => origin + path);

it('the doctor reports no fault when the issuer publishes the configured values', async () => {
  const fine = [`ok    issuer: the metadata of ${oauth.issuer} matches`, 'ok    keys of the issuer: 1 of 1 are usable'];
  expect(await lines()).toEqual(fine);
  expect(await lines({ TOKEN_URL: oauth.tokenUrl, ADMIN_AUDIENCE: 'b' })).toEqual(fine);
});

it("the doctor names a variable that differs from the issuer's metadata, and the published value", async () => {
  const [slash] = await lines({ TOKEN_ISSUER: `${oauth.issuer}/` });
  expect(slash).toMatch(`TOKEN_ISSUER is not the "issuer" of the issuer, ${oauth.issuer} -> set TOKEN_ISSUER`);
  const [keys, ofKeys] = await lines({ JWKS_URL: special.issuer.jwksUrl });
  expect(keys).toMatch(
    `FAIL  issuer: JWKS_URL is not the "jwks_uri" of the issuer, ${oauth.jwksUrl}, and the two have no key in common -> set JWKS_URL to the issuer's "jwks_uri"`,
  );
  expect(ofKeys).toBe('ok    keys of the issuer: 1 of 1 are usable');
  const [tokenUrl] = await lines({ TOKEN_URL: `${oauth.issuer}/token` });
  expect(tokenUrl).toMatch(`FAIL  issuer: TOKEN_URL is not the "token_endpoint" of the issuer, ${oauth.tokenUrl} ->`);
});

it("the doctor also looks for metadata at the well-known path before the issuer's own path", async () => {
  const issuer = `${origin}/tenant`;
  const metadata = JSON.stringify({ issuer, jwks_uri: special.issuer.jwksUrl });
  await stub('/tenant/.well-known/openid-configuration', { status: 404 });
  expect((await lines({ TOKEN_ISSUER: issuer }))[0]).toMatch(
    `FAIL  issuer: ${issuer} publishes no metadata (HTTP 404) ->`,
  );
  await stub('/.well-known/oauth-authorization-server/tenant', { body: metadata });
  const [found] = await lines({ TOKEN_ISSUER: issuer, JWKS_URL: special.issuer.jwksUrl });
  expect(found).toBe(`ok    issuer: the metadata of ${issuer} matches`);
});

it('the doctor skips an issuer without metadata, and fails it only if its keys are unusable too', async () => {
  const issuer = `${origin}/silent`;
  for (const path of ['/silent/.well-known/openid-configuration', '/.well-known/oauth-authorization-server/silent'])
    await stub(path, { status: 404 });
  expect(await lines({ TOKEN_ISSUER: issuer })).toEqual([
    '--    issuer: not checked: it publishes no metadata: compare TOKEN_ISSUER with the "iss" of a token',
    'ok    keys of the issuer: 1 of 1 are usable',
  ]);
  const [withoutKeys] = await lines({ TOKEN_ISSUER: issuer, JWKS_URL: await stub('/none', { status: 404 }) });
  expect(withoutKeys).toMatch(`FAIL  issuer: ${issuer} publishes no metadata (HTTP 404) -> check that TOKEN_ISSUER is`);
});

describe('keys at a URL that the issuer does not publish', async () => {
  const rsa = async (kid: string) => ({
    ...(await exportJWK((await generateKeyPair('RS256')).publicKey)),
    kid,
    alg: 'RS256',
  });
  const [a, b, c, unlike] = await Promise.all([rsa('a'), rsa('b'), rsa('c'), rsa('a')]);

  it.each([
    [
      'both URLs have the same keys',
      [a, b],
      [b, a],
      /^-- {4}issuer: JWKS_URL is not .* issuer, \S+; JWKS_URL has the same keys, and must change when/,
    ],
    [
      'JWKS_URL lacks one key',
      [a, b],
      [a],
      /^-- .*; JWKS_URL lacks 1 of the issuer's 2 keys: the Worker refuses tokens signed with them$/,
    ],
    [
      'JWKS_URL has one more key',
      [a],
      [a, c],
      /^-- .*; JWKS_URL has 1 keys that the issuer lacks: the Worker also accepts tokens signed with them$/,
    ],
    [
      'JWKS_URL has none of the keys',
      [a],
      [b],
      /^FAIL .*, and the two have no key in common -> set JWKS_URL to the issuer's "jwks_uri"$/,
    ],
    [
      'JWKS_URL has another key of the same id',
      [a],
      [unlike],
      /^FAIL .*, and the two have no key in common -> set JWKS_URL/,
    ],
    [
      'the issuer publishes an empty key set',
      [],
      [a],
      /^-- .*, which serves no keys to compare \(the key set has no keys\): check that/,
    ],
  ])('the doctor compares the keys when %s', async (_, published, ours, line) => {
    const issuer = `${origin}/mirrored`;
    const keys = (path: string, set: readonly object[]) => stub(path, { body: JSON.stringify({ keys: set }) });
    const metadata = { issuer, jwks_uri: await keys('/published', published) };
    await stub('/mirrored/.well-known/openid-configuration', { body: JSON.stringify(metadata) });
    const [said, ofKeys] = await lines({ TOKEN_ISSUER: issuer, JWKS_URL: await keys('/mirror', ours) });
    expect(said).toMatch(line);
    expect(ofKeys).toMatch(/^ok /);
  });

  it('the doctor does not check JWKS_URL when the issuer publishes no "jwks_uri"', async () => {
    const issuer = `${origin}/terse`;
    await stub('/terse/.well-known/openid-configuration', { body: JSON.stringify({ issuer }) });
    expect((await lines({ TOKEN_ISSUER: issuer }))[0]).toBe(
      '--    issuer: not checked: the issuer\'s metadata has no "jwks_uri": check that the keys at JWKS_URL are the issuer\'s own',
    );
  });
});

it("the doctor checks the operator's issuer if it differs from the partners' issuer", async () => {
  const [, , issuer, keys] = await lines({
    ADMIN_ISSUER: `${oauth.issuer}/admin`,
    ADMIN_JWKS_URL: special.issuer.jwksUrl,
    TOKEN_ALGORITHMS: 'RS256',
  });
  expect(issuer).toMatch(
    /^FAIL {2}operator's issuer: .* publishes no metadata .* -> check that ADMIN_ISSUER is exactly the "iss"/,
  );
  expect(keys).toMatch(/^FAIL {2}keys of the operator's issuer: none of its 1 keys has a "kid" and an algorithm/);
});

it.each([
  [{ status: 404 }, /serves no keys \(HTTP 404 instead of a key set\) -> set JWKS_URL to the "jwks_uri" of the issuer/],
  [
    { status: 302, headers: { location: '/jwks' } },
    /serves no keys \(HTTP 302 instead of a key set\) -> .*does not follow redirects/,
  ],
  [{ body: '<html>' }, /serves no keys \(the answer is not JSON\)/],
  [{ body: '{"keys": []}' }, /serves no keys \(the key set has no keys\)/],
  [
    { body: '{"keys": [{"kty": "EC", "kid": "a"}]}' },
    /none of its 1 keys has a "kid" and an algorithm of TOKEN_ALGORITHMS/,
  ],
])('the doctor fails unusable keys: %j', async (answer, complaint) => {
  const [, keys] = await lines({ JWKS_URL: await stub('/odd', answer) });
  expect(keys).toMatch(complaint);
  expect(keys).toMatch(/^FAIL {2}keys of the issuer: /);
});
