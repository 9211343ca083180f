import { base64url, createLocalJWKSet, exportJWK, generateKeyPair, type JWK, type JWTVerifyGetKey } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Bearer, verifyToken } from '../../../src/auth/verify-token.ts';
import { HMAC_BITS, HMAC_SECRETS } from './algorithm-attacks.ts';
import { anIssuer, compact, hmac, NOW, SECONDS, type Signer, theClaims, theRules } from './an-issuer.ts';
import type { Target } from './token-attack.ts';
import { TOKEN_ATTACKS } from './token-attacks.ts';

/** The table of token attacks on the verifier itself, and attacks that need other keys or rules. */

const [rsa, ps, ec, ed, forger] = await Promise.all([
  anIssuer('RS256'),
  anIssuer('PS256'),
  anIssuer('ES256'),
  anIssuer('EdDSA'),
  anIssuer('ES256'),
]);
const several = createLocalJWKSet({ keys: [rsa, ps, ec, ed].map(({ jwk }) => jwk) });
const single = createLocalJWKSet(ec.jwks);

const judged = (token: string, keys: JWTVerifyGetKey = several, rules = theRules()) =>
  verifyToken(`Bearer ${token}`, rules, keys, NOW);
const acme: Bearer = {
  clientId: 'acme',
  scopes: ['search:pass', 'issue:pass'],
  claims: expect.any(Object),
  expiresAt: expect.any(Number),
};
const because = (detail: RegExp) => ({
  type: 'token_invalid',
  reason: expect.any(String),
  detail: expect.stringMatching(detail),
});
const invalid = because(/./);

const { issuer, audience } = theRules();
const target: Target = {
  rsa,
  ps,
  ec,
  ed,
  forger,
  clientId: 'acme',
  issuer,
  audience,
  now: () => SECONDS,
  claims: theClaims,
};

describe.each([
  ['one key', single],
  ['several keys', several],
])('token attacks on the verifier of an issuer with %s', (_, keys) => {
  it('accepts a token that names its key', async () => {
    expect(await judged(await ec.sign(), keys)).toEqual(acme);
  });

  it.each(TOKEN_ATTACKS.map((attack) => [attack.name, attack] as const))('refuses a token %s', async (_, attack) => {
    for (const token of await Promise.all(attack.forge(target)))
      expect(await judged(token, keys)).toEqual(because(attack.detail));
  });
});

describe('the configured algorithms', () => {
  it('refuses an algorithm that is not configured, though the issuer has a key for it', async () => {
    const rules = theRules({ algorithms: ['RS256'] });
    expect(await judged(await ec.sign(), several, rules)).toEqual(because(/"alg".* not allowed/));
    expect(await judged(await rsa.sign(), several, rules)).toEqual(acme);
  });

  it.each(HMAC_SECRETS)('refuses HMAC with the public key %s, even where HMAC is configured', async (_, of, secret) => {
    const { [of]: issuer } = target;
    for (const bits of HMAC_BITS) {
      const rules = theRules({ algorithms: ['RS256', `HS${bits}`] });
      const signer = hmac(`SHA-${bits}`, secret(issuer));
      const forged = await compact({ alg: `HS${bits}`, kid: issuer.kid }, theClaims(), signer);
      expect(await judged(forged, several, rules)).toEqual(invalid);
    }
  });

  it('refuses HMAC with a symmetric key that the issuer published', async () => {
    const secret = crypto.getRandomValues(new Uint8Array(32));
    const oct = { kty: 'oct', k: base64url.encode(secret), kid: 'oct', alg: 'HS256' };
    const keys = createLocalJWKSet({ keys: [oct, ec.jwk] });
    const forged = await compact({ alg: 'HS256', kid: 'oct' }, theClaims(), hmac('SHA-256', secret));
    expect(await judged(forged, keys)).toEqual(invalid);
    expect(await judged(forged, keys, theRules({ algorithms: ['HS256', 'ES256'] }))).toEqual(invalid);
  });
});

describe('a good header', () => {
  it.each(['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/jwt', 'application/at+jwt'])(
    'accepts the typ %s',
    async (typ) => expect(await judged(await ec.sign(theClaims(), { typ }))).toEqual(acme),
  );

  it('accepts a header that names the certificate of its key, as Entra ID does', async () => {
    const thumbprints = { x5t: 'L1KfKFI_jnXbwWc22xZxw1sUHH0', 'x5t#S256': 'x' };
    expect(await judged(await ec.sign(theClaims(), thumbprints))).toEqual(acme);
  });
});

describe('a key of the issuer', () => {
  const setOf = (jwk: JWK) => createLocalJWKSet({ keys: [jwk] });

  it.each([
    ['for encryption (use: enc)', { use: 'enc' }],
    ['for other operations (key_ops)', { key_ops: ['encrypt'] }],
    ['for no operation', { key_ops: [] }],
    ['for another algorithm', { alg: 'ES384' }],
    ['with a curve that is not its own', { crv: 'P-384' }],
    ['of another kind', { kty: 'RSA' }],
    ['whose point is not on the curve', { x: base64url.encode(new Uint8Array(32)) }],
  ])('verifies nothing with a key %s', async (_, changed) => {
    expect(await judged(await ec.sign(), setOf(ec.jwk))).toEqual(acme);
    expect(await judged(await ec.sign(), setOf({ ...ec.jwk, ...changed }))).toEqual(invalid);
  });

  it('verifies nothing with a private key', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), kid: ec.kid, alg: 'ES256' };
    expect(await judged(await ec.sign(), setOf(jwk))).toEqual(invalid);
  });

  it('keeps keys of two kinds under one name apart', async () => {
    const keys = createLocalJWKSet({ keys: [{ ...rsa.jwk, kid: ec.kid }, ec.jwk] });
    expect(await judged(await ec.sign(), keys)).toEqual(acme);
    expect(await judged(await forger.sign(), keys)).toEqual(because(/^signature verification failed$/));
  });

  it('verifies no PS256 signature with a key for RS256', async () => {
    const swapped = await ps.sign(theClaims(), { kid: rsa.kid });
    expect(await judged(swapped)).toEqual(because(/^no applicable key/));
  });

  it('verifies nothing with an RSA key of 1024 bits', async () => {
    const short = { name: 'RSASSA-PKCS1-v1_5', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]) };
    const pair = (await crypto.subtle.generateKey({ ...short, hash: 'SHA-256' }, true, [
      'sign',
      'verify',
    ])) as CryptoKeyPair;
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'short', alg: 'RS256' };
    const signer: Signer = async (input) =>
      new Uint8Array(await crypto.subtle.sign('RSASSA-PKCS1-v1_5', pair.privateKey, input));
    expect(await judged(await compact({ alg: 'RS256', kid: 'short' }, theClaims(), signer), setOf(jwk))).toEqual(
      invalid,
    );
  });
});
