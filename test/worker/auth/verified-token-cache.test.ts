import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose';
import { describe, expect, it } from 'vitest';
import { verifyCachedToken } from '../../../src/auth/verified-token-cache.ts';
import { anIssuer, NOW, SECONDS, theClaims, theRules } from './an-issuer.ts';

/** For how long a token that was good is not verified again, and what is verified each time. */

const issuer = await anIssuer('ES256');
const published = createLocalJWKSet(issuer.jwks);
const acme = { clientId: 'acme' };
const refused = { reason: 'token_invalid' };

/** Somebody who asks with tokens, and the issuer's keys, which count how often they are asked for. */
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

describe('a good token', () => {
  it('is not verified again within a minute', async () => {
    const [{ ask, asked }, token] = [aCaller(), await issuer.sign()];
    for (const ms of [0, 1, 59_999]) expect(await ask(token, ms)).toMatchObject(acme);
    expect(asked()).toBe(1);
  });

  it('is verified again after a minute, so that a withdrawn key does not serve for longer', async () => {
    const [{ ask, asked }, token] = [aCaller(), await issuer.sign()];
    for (const ms of [0, 60_000, 60_001, 119_999, 120_000]) await ask(token, ms);
    expect(asked()).toBe(3);
  });

  it('is refused from the moment it has expired, a minute of tolerance included', async () => {
    const { ask, asked } = aCaller();
    const token = await issuer.sign(theClaims({ exp: SECONDS - 30 }));
    expect(await ask(token, 0)).toMatchObject(acme);
    expect(await ask(token, 29_999)).toMatchObject(acme);
    expect(asked()).toBe(1);
    expect(await ask(token, 30_000)).toMatchObject(refused);
  });

  it('is verified again when the clock was set back: it may not be valid yet', async () => {
    const [{ ask }, token] = [aCaller(), await issuer.sign(theClaims({ nbf: SECONDS + 60 }))];
    expect(await ask(token)).toMatchObject(acme);
    expect(await ask(token, -1_000)).toMatchObject(refused);
  });

  it('is good for the rules it was held against only', async () => {
    const [{ ask }, token] = [aCaller(), await issuer.sign()];
    expect(await ask(token)).toMatchObject(acme);
    expect(await ask(token, 0, theRules({ audience: 'https://other.example' }))).toMatchObject(refused);
  });
});

describe('what is verified each time', () => {
  it('is every other text: the claims of one token with the signature of another', async () => {
    const { ask } = aCaller();
    const [token, other] = [await issuer.sign(), await issuer.sign(theClaims({ client_id: 'globex' }))];
    await Promise.all([ask(token), ask(other)]);
    const [head, , signature] = token.split('.');
    expect(await ask([head, other.split('.')[1], signature].join('.'))).toMatchObject(refused);
    expect(await ask(token.slice(0, -2))).toMatchObject(refused);
    expect(await ask(token)).toMatchObject(acme);
    expect(await ask(other)).toMatchObject({ clientId: 'globex' });
  });

  it('is what was refused: a key that the issuer has published since is found', async () => {
    const [{ rules }, token] = [aCaller(), await issuer.sign()];
    const none = createLocalJWKSet({ keys: [] });
    expect(await verifyCachedToken(`Bearer ${token}`, rules, none, NOW)).toMatchObject(refused);
    expect(await verifyCachedToken(`Bearer ${token}`, rules, published, NOW)).toMatchObject(acme);
  });

  it('is no token at all', async () => {
    expect(await verifyCachedToken(null, theRules(), published, NOW)).toEqual({ reason: 'token_missing' });
  });

  it('is the token that was verified before a thousand others: so much is remembered and no more', async () => {
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
