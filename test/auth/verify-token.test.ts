import { base64url, createLocalJWKSet, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { describe, expect, it } from 'vitest';
import { KeysUnavailable } from '../../src/auth/key-set.ts';
import { type Bearer, type TokenRefusal, verifyToken } from '../../src/auth/verify-token.ts';
import { anIssuer, NOW, signed, theClaims, theRules } from './an-issuer.ts';

const [rsa, ec, ed] = await Promise.all([anIssuer('RS256'), anIssuer('ES256'), anIssuer('EdDSA')]);
const keys = createLocalJWKSet({ keys: [rsa, ec, ed].flatMap(({ jwks }) => jwks.keys) });

const verified = (authorization: string | null, rules = theRules(), of: JWTVerifyGetKey = keys) =>
  verifyToken(authorization, rules, of, NOW);
const invalid = { reason: 'token_invalid', detail: expect.any(String) };
const acme: Bearer = { clientId: 'acme', scopes: ['search:pass', 'issue:pass'] };

describe('a good token', () => {
  it.each([
    ['RS256', rsa],
    ['ES256', ec],
    ['EdDSA', ed],
  ])('signed with %s says who bears it and what it may', async (_, issuer) => {
    expect(await verified(`Bearer ${await issuer.sign()}`)).toEqual(acme);
  });

  it.each(['Bearer ', 'bearer ', 'BEARER ', 'Bearer   '])(
    'may come after "%s": schemes know no case',
    async (scheme) => {
      expect(await verified(scheme + (await ec.sign()))).toEqual(acme);
    },
  );
});

describe('a header', () => {
  it.each([null, ''])('that is %j: the token is missing', async (header) => {
    expect(await verified(header)).toEqual({ reason: 'token_missing' });
  });

  it.each(['Bearer', 'Bearer ', 'Bearer a', 'Bearer a.b', 'Bearer a.b.c.d', 'Bearer a.b.c d', 'Bearer a.b.c'])(
    '"%s" holds no token',
    async (header) => {
      expect(await verified(header)).toEqual(invalid);
    },
  );

  it.each(['Basic', 'DPoP', 'Token', 'XBearer'])('of the scheme %s is refused, whatever it carries', async (scheme) => {
    const answer = await verified(`${scheme} ${await ec.sign()}`);
    expect(answer).toHaveProperty('reason', expect.stringMatching(/^token_(missing|invalid)$/));
  });

  it('with two tokens is refused', async () => {
    const token = await ec.sign();
    expect(await verified(`Bearer ${token}, Bearer ${token}`)).toEqual(invalid);
  });
});

describe('the size of a token', () => {
  /** A good token that is exactly so many bytes long. */
  async function ofLength(bytes: number): Promise<string> {
    for (let pad = Math.floor((bytes - 600) * 0.75); ; pad++) {
      const token = await ec.sign(theClaims({ pad: 'x'.repeat(pad) }));
      if (token.length === bytes) return token;
      // Three bytes make four letters, so not every length comes up.
      if (token.length > bytes) throw new Error(`no token of ${bytes} bytes`);
    }
  }

  it.each([1000, 8000, 8192])('may be %i bytes', async (bytes) => {
    expect(await verified(`Bearer ${await ofLength(bytes)}`)).toEqual(acme);
  });

  it.each([8194, 20_000])('must not be %i bytes', async (bytes) => {
    expect(await verified(`Bearer ${await ofLength(bytes)}`)).toEqual(invalid);
  });
});

describe('the signature', () => {
  const parts = async () => (await ec.sign()).split('.') as [string, string, string];
  const encoded = (value: unknown) => base64url.encode(JSON.stringify(value));

  it('must be of an algorithm that is configured', async () => {
    expect(await verified(`Bearer ${await ec.sign()}`, theRules({ algorithms: ['RS256'] }))).toEqual(invalid);
    expect(await verified(`Bearer ${await rsa.sign()}`, theRules({ algorithms: ['RS256'] }))).toEqual(acme);
  });

  it.each(['none', 'None', 'NONE', ''])('is no signature by "alg": "%s"', async (alg) => {
    const [, payload, signature] = await parts();
    const header = encoded({ alg, kid: 'a-key-for-ES256' });
    expect(await verified(`Bearer ${header}.${payload}.`)).toEqual(invalid);
    expect(await verified(`Bearer ${header}.${payload}.${signature}`)).toEqual(invalid);
  });

  it('is no signature by HMAC with the public key, which anybody can make', async () => {
    const secret = new TextEncoder().encode(rsa.publicKey);
    for (const kid of ['a-key-for-RS256', 'none']) {
      const forged = await signed(theClaims(), { alg: 'HS256', kid }, secret);
      expect(await verified(`Bearer ${forged}`)).toEqual(invalid);
    }
  });

  it('must be over these very claims', async () => {
    const [header, , signature] = await parts();
    const payload = encoded(theClaims({ client_id: 'bolt' }));
    expect(await verified(`Bearer ${header}.${payload}.${signature}`)).toEqual(invalid);
  });

  it('must be by the issuer’s key, not by one that only bears its name, nor by one the token brings along', async () => {
    const forger = await anIssuer('ES256');
    const [jwk = {}] = forger.jwks.keys;
    expect(await verified(`Bearer ${await forger.sign()}`)).toEqual(invalid);
    expect(await verified(`Bearer ${await forger.sign(theClaims(), { jwk })}`)).toEqual(invalid);
    const unknown = await anIssuer('ES256', 'nobody-knows-it');
    expect(await verified(`Bearer ${await unknown.sign()}`)).toEqual(invalid);
  });

  it('must not depend on an extension that nobody here understands', async () => {
    const [, payload, signature] = await parts();
    const header = encoded({ alg: 'ES256', kid: 'a-key-for-ES256', crit: ['x'], x: 1 });
    expect(await verified(`Bearer ${header}.${payload}.${signature}`)).toEqual(invalid);
  });
});

describe('a refusal', () => {
  it('says which rule failed, and repeats nothing of the token', async () => {
    const cases: JWTPayload[] = [
      { iss: 'https://planted.example' },
      { aud: 'planted' },
      { exp: 7 },
      { scope: 'planted', client_id: '' },
    ];
    for (const claims of cases) {
      const token = await ec.sign(theClaims(claims));
      const answer = (await verified(`Bearer ${token}`)) as TokenRefusal & { detail: string };
      expect(answer).toEqual(invalid);
      expect(answer.detail).not.toContain('planted');
      for (const part of token.split('.')) expect(answer.detail).not.toContain(part);
    }
  });

  it('does not blame the token when the keys cannot be had', async () => {
    const none: JWTVerifyGetKey = () => Promise.reject(new KeysUnavailable('no keys'));
    expect(await verified(`Bearer ${await ec.sign()}`, theRules(), none)).toEqual({
      reason: 'temporarily_unavailable',
    });
  });

  it('says nothing of a fault inside: its message may hold anything', async () => {
    const broken: JWTVerifyGetKey = () => Promise.reject(new TypeError('planted'));
    const answer = await verified(`Bearer ${await ec.sign()}`, theRules(), broken);
    expect(JSON.stringify(answer)).not.toContain('planted');
    expect(answer).toHaveProperty('reason');
  });
});
