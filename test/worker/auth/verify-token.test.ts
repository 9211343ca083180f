import { base64url, CompactEncrypt, createLocalJWKSet, EncryptJWT, generateKeyPair, type JWTVerifyGetKey } from 'jose';
import { describe, expect, it } from 'vitest';
import { KeysUnavailable } from '../../../src/auth/key-set.ts';
import { type Bearer, type TokenRefusal, verifyToken } from '../../../src/auth/verify-token.ts';
import { anIssuer, compact, der, encoded, NOW, theClaims, theRules } from './an-issuer.ts';

/** The form of a token, its size and its signature. */

const issuers = await Promise.all([anIssuer('RS256'), anIssuer('PS256'), anIssuer('ES256'), anIssuer('EdDSA')]);
const [rsa, ps, ec, ed] = issuers;
const keys = createLocalJWKSet({ keys: issuers.map(({ jwk }) => jwk) });

const verified = (authorization: string | null, of: JWTVerifyGetKey = keys) =>
  verifyToken(authorization, theRules(), of, NOW);
const judged = (token: string) => verified(`Bearer ${token}`);
const because = (detail: RegExp) => ({
  type: 'token_invalid',
  reason: expect.any(String),
  detail: expect.stringMatching(detail),
});
const FORM = because(/^the header must be "Authorization: Bearer <access token>", and the token a signed JWT$/);
const SIGNATURE = because(/^signature verification failed$/);
const acme: Bearer = {
  clientId: 'acme',
  scopes: ['search:pass', 'issue:pass'],
  claims: expect.any(Object),
  expiresAt: expect.any(Number),
};

describe('a good token', () => {
  it.each([
    ['RS256', rsa],
    ['PS256', ps],
    ['ES256', ec],
    ['EdDSA', ed],
  ])('returns the client and the scopes of a token signed with %s', async (_, issuer) => {
    expect(await judged(await issuer.sign())).toEqual(acme);
  });

  it.each(['Bearer ', 'bearer ', 'BEARER ', 'Bearer   '])('accepts the scheme "%s" in any case', async (scheme) => {
    expect(await verified(scheme + (await ec.sign()))).toEqual(acme);
  });
});

describe('the Authorization header', () => {
  it.each([null, ''])('reports the header %j as a missing token', async (header) => {
    expect(await verified(header)).toEqual({ type: 'token_missing', reason: 'missing' });
  });

  it.each(['Basic', 'Token', 'XBearer', 'DPoP'])('ignores a header of the scheme %s', async (scheme) => {
    expect(await verified(`${scheme} ${await ec.sign()}`)).toEqual({ type: 'token_missing', reason: 'missing' });
  });

  it.each(['Bearer', 'Bearer ', 'Bearer a', 'Bearer a.b', 'Bearer a.b.c.d', 'Bearer a.b.c d', 'Bearer\ta.b.c'])(
    'refuses "%s", which holds no token',
    async (header) => expect(await verified(header)).toEqual(FORM),
  );

  it('refuses two tokens in one header, even when both are good, and a token beside another scheme', async () => {
    const [token, other] = [await ec.sign(), await rsa.sign()];
    const twice = (...values: string[]) => {
      const headers = new Headers();
      for (const value of values) headers.append('authorization', value);
      return verified(headers.get('authorization'));
    };
    expect(await twice(`Bearer ${token}`)).toEqual(acme);
    expect(await twice(`Bearer ${token}`, `Bearer ${other}`)).toEqual(FORM);
    expect(await twice(`Bearer ${token}`, `Bearer ${token}`)).toEqual(FORM);
    expect(await twice(`Bearer ${token}`, 'Basic YWNtZTo=')).toEqual(FORM);
    expect(await twice('Basic YWNtZTo=', `Bearer ${token}`)).toEqual({ type: 'token_missing', reason: 'missing' });
  });
});

describe('the size of a token', () => {
  /** Returns a valid token with exactly this many bytes. */
  async function ofLength(bytes: number): Promise<string> {
    for (let pad = Math.floor((bytes - 600) * 0.75); ; pad++) {
      const token = await ec.sign(theClaims({ pad: 'x'.repeat(pad) }));
      if (token.length === bytes) return token;
      // Three bytes become four letters, so some lengths are impossible.
      if (token.length > bytes) throw new Error(`no token of ${bytes} bytes`);
    }
  }

  it.each([1000, 8000, 8192])('accepts a token of %i bytes', async (bytes) => {
    expect(await judged(await ofLength(bytes))).toEqual(acme);
  });

  it.each([8194, 20_000])('refuses a token of %i bytes', async (bytes) => {
    expect(await judged(await ofLength(bytes))).toEqual(because(/^the access token is longer than 8 KiB$/));
  });
});

describe('the signature of a token', () => {
  const parts = async () => (await ec.sign()).split('.') as [string, string, string];
  const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const bytesOf = (value: bigint) =>
    Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * (31 - index))) & 0xffn));

  it.each<[string, (signature: Uint8Array) => Uint8Array]>([
    ['r = s = 0', () => new Uint8Array(64)],
    ['r = 0', (raw) => raw.fill(0, 0, 32)],
    ['s = 0', (raw) => raw.fill(0, 32)],
    ['r = s = n', () => Uint8Array.from([...bytesOf(n), ...bytesOf(n)])],
    ['r = s = 1', () => Uint8Array.from([...bytesOf(1n), ...bytesOf(1n)])],
    ['DER in place of the two numbers', der],
    ['63 bytes', (raw) => raw.subarray(0, 63)],
    ['65 bytes', (raw) => Uint8Array.from([...raw, 0])],
    ['1 byte', (raw) => raw.subarray(0, 1)],
    ['one bit changed', (raw) => raw.map((byte, index) => (index === 7 ? byte ^ 1 : byte))],
  ])('refuses an ES256 signature with %s', async (_, changed) => {
    const [header, payload, signature] = await parts();
    const forged = base64url.encode(changed(base64url.decode(signature)));
    expect(await judged(`${header}.${payload}.${forged}`)).toEqual(SIGNATURE);
  });

  it.each([
    ['RS256', rsa, 256],
    ['PS256', ps, 256],
    ['EdDSA', ed, 64],
  ])('refuses a %s signature of zeros', async (_, issuer, length) => {
    const [header, payload] = (await issuer.sign()).split('.');
    const zeros = base64url.encode(new Uint8Array(length));
    expect(await judged(`${header}.${payload}.${zeros}`)).toEqual(SIGNATURE);
  });

  it('accepts an ES256 signature with n - s in place of s, which gives the same claims', async () => {
    const [header, payload, signature] = await parts();
    const raw = base64url.decode(signature);
    const s = raw.subarray(32).reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
    const other = base64url.encode(Uint8Array.from([...raw.subarray(0, 32), ...bytesOf(n - s)]));
    expect(await judged(`${header}.${payload}.${other}`)).toEqual(acme);
  });

  it('verifies the signature over this header and these claims', async () => {
    const [header, payload, signature] = await parts();
    const claims = encoded(theClaims({ client_id: 'bolt' }));
    expect(await judged(`${header}.${claims}.${signature}`)).toEqual(SIGNATURE);
    const typed = encoded({ alg: 'ES256', kid: ec.kid, typ: 'JWT' });
    expect(await judged(`${typed}.${payload}.${signature}`)).toEqual(SIGNATURE);
    const [, , ofAnother] = (await ec.sign(theClaims({ client_id: 'bolt' }))).split('.');
    expect(await judged(`${header}.${payload}.${ofAnother}`)).toEqual(SIGNATURE);
  });

  it('refuses the signature of a key that only has the name of the issuer’s key', async () => {
    const forger = await anIssuer('ES256');
    expect(forger.kid).toBe(ec.kid);
    expect(await judged(await forger.sign())).toEqual(SIGNATURE);
  });
});

describe('other forms of a token', () => {
  it('refuses a JWE, encrypted to the key of the issuer or to any other', async () => {
    const { publicKey } = await generateKeyPair('RSA-OAEP-256');
    const claims = new EncryptJWT(theClaims()).setProtectedHeader({
      alg: 'RSA-OAEP-256',
      enc: 'A256GCM',
      kid: rsa.kid,
    });
    expect(await judged(await claims.encrypt(publicKey))).toEqual(FORM);
    const nested = new CompactEncrypt(new TextEncoder().encode(await ec.sign()));
    const direct = nested.setProtectedHeader({ alg: 'dir', enc: 'A256GCM', cty: 'JWT', kid: ec.kid });
    expect(await judged(await direct.encrypt(new Uint8Array(32)))).toEqual(FORM);
  });

  it('refuses the JSON serializations, general and flattened', async () => {
    const [header, payload, signature] = (await ec.sign()).split('.');
    expect(await judged(JSON.stringify({ payload, protected: header, signature }))).toEqual(FORM);
    expect(await judged(JSON.stringify({ payload, signatures: [{ protected: header, signature }] }))).toEqual(FORM);
    const unprotected = { payload, header: { alg: 'ES256', kid: ec.kid }, signature };
    expect(await judged(JSON.stringify(unprotected))).toEqual(FORM);
  });

  it.each<[string, (token: string) => string]>([
    ['padding', (token) => `${token}==`],
    ['padding inside', (token) => token.replaceAll('.', '=.')],
    ['a space inside', (token) => `${token.slice(0, 50)} ${token.slice(50)}`],
    ['a line break inside', (token) => `${token.slice(0, 50)}\n${token.slice(50)}`],
    ['the letters of standard base64', (token) => `${token.slice(0, -2)}+/`],
    ['a letter beyond ASCII', (token) => `${token.slice(0, -1)}é`],
    ['quotes around it', (token) => `"${token}"`],
    ['its claims empty', (token) => token.replace(/\..*\./, '..')],
  ])('refuses a token with %s', async (_, rewritten) => {
    expect(await judged(rewritten(await ec.sign()))).toEqual(FORM);
  });

  it('refuses unused bits in the claims, and accepts them in the signature', async () => {
    const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const next = (part: string) => part.slice(0, -1) + LETTERS[LETTERS.indexOf(part.slice(-1)) + 1];
    // One byte more than whole groups of three: the last letter has four bits to spare.
    const claims = JSON.stringify(theClaims());
    const token = await compact(
      { alg: 'ES256', kid: ec.kid },
      claims.padEnd(Math.ceil(claims.length / 3) * 3 + 1),
      ec.signer,
    );
    const [header, payload = '', signature = ''] = token.split('.');
    expect(base64url.decode(next(payload))).toEqual(base64url.decode(payload));
    expect(await judged(`${header}.${next(payload)}.${signature}`)).toEqual(SIGNATURE);
    expect(await judged(`${header}.${payload}.${next(signature)}`)).toEqual(acme);
  });

  it.each(['', '[]', 'null', '"claims"', '7', '{', '{"exp":1}{}'])('refuses the claims %j', async (text) => {
    const answer = await judged(await compact({ alg: 'ES256', kid: ec.kid }, text, ec.signer));
    expect(answer).toEqual(text === '' ? FORM : because(/JSON object|missing/));
  });
});

describe('the reason of a refusal', () => {
  it('names the failed rule, and repeats nothing of the token', async () => {
    const tokens = [
      ...[{ iss: 'https://planted.example' }, { aud: 'planted' }, { exp: 7 }, { scope: 'planted', client_id: '' }].map(
        (claims) => ec.sign(theClaims(claims)),
      ),
      ...[{ alg: 'planted' }, { kid: 'planted' }, { typ: 'planted' }, { crit: ['planted'] }, { jku: 'planted' }].map(
        (header) => ec.sign(theClaims(), header),
      ),
    ];
    for (const token of await Promise.all(tokens)) {
      const answer = (await judged(token)) as TokenRefusal & { detail: string };
      expect(answer).toEqual(because(/^[ -~]{10,80}$/));
      expect(answer.detail).not.toContain('planted');
      for (const part of token.split('.')) expect(answer.detail).not.toContain(part);
    }
  });

  it('reports unavailable keys with the time to retry, and does not blame the token', async () => {
    const none: JWTVerifyGetKey = () => Promise.reject(new KeysUnavailable(17));
    const answer = await verified(`Bearer ${await ec.sign()}`, none);
    expect(answer).toEqual({ type: 'temporarily_unavailable', retryAfter: 17 });
  });

  it('reveals nothing of an internal fault', async () => {
    const broken: JWTVerifyGetKey = () => Promise.reject(new TypeError('planted'));
    expect(await verified(`Bearer ${await ec.sign()}`, broken)).toEqual(because(/^the access token cannot be read$/));
  });
});
