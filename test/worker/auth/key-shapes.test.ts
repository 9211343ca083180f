import { base64url, exportJWK, generateKeyPair } from 'jose';
import { describe, expect, it } from 'vitest';
import { remoteKeySet } from '../../../src/auth/key-set.ts';
import { verifyToken } from '../../../src/auth/verify-token.ts';
import { anEndpoint } from './an-endpoint.ts';
import { anIssuer, type Issuer, NOW, SECONDS, theClaims, theRules } from './an-issuer.ts';

/** Key sets as issuers publish them: with repeated ids, and with entries that are no keys. */

const ID = 'one-id';
const [ec, otherEc, rsa, otherRsa] = (await Promise.all([
  anIssuer('ES256', ID),
  anIssuer('ES256', ID),
  anIssuer('RS256', ID),
  anIssuer('RS256', ID),
])) as [Issuer, Issuer, Issuer, Issuer];

async function privateKey() {
  const pair = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(pair.privateKey)), kid: ID, alg: 'ES256' };
}

/** A public key of RSA with these many bits. */
const rsaOf = (bits: number) => {
  const modulus = new Uint8Array(bits / 8).fill(255);
  return { kty: 'RSA', kid: ID, e: 'AQAB', n: base64url.encode(modulus) };
};

/** Entries that verify no token. Each has the id of a good key. */
const USELESS: readonly (readonly [name: string, entry: unknown])[] = [
  ['null', null],
  ['a text', 'key'],
  ['a number', 7],
  ['a list', [ec.jwk]],
  ['an empty object', {}],
  ['a key without a type', { kid: ID }],
  ['a key of an unknown type', { ...ec.jwk, kty: 'XYZ' }],
  ['a key whose type is no text', { ...ec.jwk, kty: ['EC'] }],
  ['an EC key without a coordinate', { ...ec.jwk, y: undefined }],
  ['an EC key that is no point of the curve', { ...ec.jwk, y: ec.jwk.x }],
  ['an EC key of an unknown curve', { ...ec.jwk, crv: 'P-999' }],
  ['an RSA key without its modulus', { ...rsa.jwk, n: undefined }],
  ['an RSA key whose modulus is no text', { ...rsa.jwk, n: 7 }],
  ['an RSA key that is too short', rsaOf(1024)],
  ['a certificate alone', { kty: 'RSA', kid: ID, x5c: ['MIIB'] }],
  ['an encryption key', { ...ec.jwk, use: 'enc' }],
  ['a key for signing', { ...ec.jwk, key_ops: ['sign'] }],
  ['a symmetric key', { kty: 'oct', kid: ID, k: 'c2VjcmV0' }],
  ['a private key', await privateKey()],
];

async function keysOf(...keys: readonly unknown[]) {
  const issuer = await anEndpoint({ body: JSON.stringify({ keys }) });
  return remoteKeySet(issuer.url);
}
async function judge(token: string, ...keys: readonly unknown[]) {
  return verifyToken(`Bearer ${token}`, theRules(), await keysOf(...keys), NOW);
}
const ACCEPTED = { clientId: 'acme' };

describe('an id with several keys', () => {
  it.each([
    ['the same key twice', [ec.jwk, ec.jwk], ec],
    ['the same key twice, once without its algorithm', [ec.jwk, { ...ec.jwk, alg: undefined, use: undefined }], ec],
    ['two keys, and the token has the first', [ec.jwk, otherEc.jwk], ec],
    ['two keys, and the token has the second', [otherEc.jwk, ec.jwk], ec],
    ['two RSA keys without an algorithm', [otherRsa, rsa].map(({ jwk }) => ({ ...jwk, alg: undefined })), rsa],
    ['keys of two types', [ec.jwk, rsa.jwk], rsa],
  ])('verifies a token with %s', async (_, keys, issuer) => {
    expect(await judge(await issuer.sign(), ...keys)).toMatchObject(ACCEPTED);
  });

  it('refuses the token of a third key as forged, and names the fault of a claim whichever key signed', async () => {
    const third = await anIssuer('ES256', ID);
    const both = [ec.jwk, otherEc.jwk];
    expect(await judge(await third.sign(), ...both)).toMatchObject({ type: 'token_invalid', reason: 'signature' });
    for (const issuer of [ec, otherEc]) {
      const expired = await issuer.sign(theClaims({ exp: SECONDS - 61 }));
      expect(await judge(expired, ...both)).toMatchObject({ type: 'token_invalid', reason: 'expired' });
      const elsewhere = await issuer.sign(theClaims({ aud: 'https://other.example' }));
      expect(await judge(elsewhere, ...both)).toMatchObject({ type: 'token_invalid', reason: 'audience' });
    }
  });
});

describe('an entry that verifies no token', () => {
  it.each(USELESS)('%s hides no key before or after it', async (_, entry) => {
    const token = await ec.sign();
    expect(await judge(token, entry, ec.jwk)).toMatchObject(ACCEPTED);
    expect(await judge(token, ec.jwk, entry)).toMatchObject(ACCEPTED);
    expect(await judge(await rsa.sign(), entry, ec.jwk, rsa.jwk)).toMatchObject(ACCEPTED);
  });

  it.each(USELESS)('%s alone serves nothing', async (_, entry) => {
    const { kid: __, ...nameless } = rsa.jwk;
    const keys = await keysOf(entry, nameless, { kty: 'EC', kid: 'another' });
    expect(await keys.serves(theRules().algorithms)).toBe(false);
  });
});

it('keys serve only the algorithms that the deployment accepts', async () => {
  const keys = await keysOf(ec.jwk, null);
  expect(await keys.serves(['RS256', 'EdDSA'])).toBe(false);
  expect(await keys.serves(['RS256', 'ES256'])).toBe(true);
});
