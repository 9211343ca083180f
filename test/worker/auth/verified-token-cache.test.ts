import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose';
import { describe, expect, it } from 'vitest';
import { verifyCachedToken } from '../../../src/auth/verify-token.ts';
import { anIssuer, NOW, SECONDS, theClaims, theRules } from './an-issuer.ts';

/** For how long a valid token is not verified again, and which checks run each time. */

const issuer = await anIssuer('ES256');
const published = createLocalJWKSet(issuer.jwks);
const acme = { clientId: 'acme' };
const refused = { type: 'token_invalid' };

/** A caller with tokens, and the issuer's keys with a counter of their uses. */
function aCaller() {
  let asked = 0;
  const keys: JWTVerifyGetKey = (header, token) => {
    asked += 1;
    return published(header, token);
  };
  const rules = theRules();
  return {
    rules,
    asked: () => asked,
    ask: (token: string, ms = 0, by = rules) => verifyCachedToken(`Bearer ${token}`, by, keys, NOW + ms),
  };
}

describe('the cache of verified tokens', () => {
  it('verifies a good token once within a minute', async () => {
    const [{ ask, asked }, token] = [aCaller(), await issuer.sign()];
    for (const ms of [0, 1, 59_999]) expect(await ask(token, ms)).toMatchObject(acme);
    expect(asked()).toBe(1);
  });

  it('verifies a token again after a minute, so that a withdrawn key stops working', async () => {
    const [{ ask, asked }, token] = [aCaller(), await issuer.sign()];
    for (const ms of [0, 60_000, 60_001, 119_999, 120_000]) await ask(token, ms);
    expect(asked()).toBe(3);
  });

  it('refuses a cached token once it has expired, with a tolerance of a minute', async () => {
    const { ask, asked } = aCaller();
    const token = await issuer.sign(theClaims({ exp: SECONDS - 30 }));
    expect(await ask(token, 0)).toMatchObject(acme);
    expect(await ask(token, 29_999)).toMatchObject(acme);
    expect(asked()).toBe(1);
    expect(await ask(token, 30_000)).toMatchObject(refused);
  });

  it('verifies a cached token again when the clock was set back', async () => {
    const [{ ask }, token] = [aCaller(), await issuer.sign(theClaims({ nbf: SECONDS + 60 }))];
    expect(await ask(token)).toMatchObject(acme);
    expect(await ask(token, -1_000)).toMatchObject(refused);
  });

  it('uses a cached token only for the rules it was verified with', async () => {
    const [{ ask }, token] = [aCaller(), await issuer.sign()];
    expect(await ask(token)).toMatchObject(acme);
    expect(await ask(token, 0, theRules({ audience: 'https://other.example' }))).toMatchObject(refused);
  });
});

describe('tokens outside the cache', () => {
  it('refuses the claims of one cached token with the signature of another', async () => {
    const { ask } = aCaller();
    const [token, other] = [await issuer.sign(), await issuer.sign(theClaims({ client_id: 'globex' }))];
    await Promise.all([ask(token), ask(other)]);
    const [head, , signature] = token.split('.');
    expect(await ask([head, other.split('.')[1], signature].join('.'))).toMatchObject(refused);
    expect(await ask(token.slice(0, -2))).toMatchObject(refused);
    expect(await ask(token)).toMatchObject(acme);
    expect(await ask(other)).toMatchObject({ clientId: 'globex' });
  });

  it('verifies a refused token again, and finds a key that the issuer published since', async () => {
    const [{ rules }, token] = [aCaller(), await issuer.sign()];
    const none = createLocalJWKSet({ keys: [] });
    expect(await verifyCachedToken(`Bearer ${token}`, rules, none, NOW)).toMatchObject(refused);
    expect(await verifyCachedToken(`Bearer ${token}`, rules, published, NOW)).toMatchObject(acme);
  });

  it('reports a missing token as missing', async () => {
    expect(await verifyCachedToken(null, theRules(), published, NOW)).toEqual({
      type: 'token_missing',
      reason: 'missing',
    });
  });

  it('remembers a thousand tokens and verifies the oldest again', async () => {
    const { ask, asked } = aCaller();
    const all = await Promise.all(Array.from({ length: 1_001 }, (_, jti) => issuer.sign(theClaims({ jti: `${jti}` }))));
    for (const token of all) await ask(token);
    const [first = '', second = ''] = all;
    await ask(second);
    expect(asked()).toBe(1_001);
    await ask(first);
    expect(asked()).toBe(1_002);
  });
});
