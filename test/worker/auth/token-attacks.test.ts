import { base64url, createLocalJWKSet, exportJWK, generateKeyPair, type JWK, type JWTVerifyGetKey } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Bearer, verifyToken } from '../../../src/auth/verify-token.ts';
import { anIssuer, compact, encoded, hmac, type Issuer, NOW, type Signer, theClaims, theRules } from './an-issuer.ts';

/** What a forger sends: each of these is refused, and what differs from it only in being honest is taken. */

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
const acme: Bearer = { clientId: 'acme', scopes: ['search:pass', 'issue:pass'], expiresAt: expect.any(Number) };
const because = (detail: RegExp) => ({ reason: 'token_invalid', detail: expect.stringMatching(detail) });
const invalid = because(/./);

const FORM = /^the header must be/;
const unsigned: Signer = () => new Uint8Array();

describe('alg none', () => {
  it.each(['none', 'None', 'NONE', 'nOnE', 'nonE', ' none', 'none\0', 'nоne', ''])(
    'spelled %j is no signature',
    async (alg) => {
      const header = { alg, kid: ec.kid };
      const bare = await compact(header, theClaims(), unsigned);
      expect(await judged(bare)).toEqual(because(FORM));
      expect(await judged(bare.slice(0, -1))).toEqual(because(FORM));
      expect(await judged(`${bare}AAAA`)).toEqual(because(/"alg"/));
      expect(await judged(await compact(header, theClaims(), ec.signer))).toEqual(because(/"alg"/));
    },
  );

  it.each([undefined, null, 0, ['ES256'], { alg: 'ES256' }, true])('nor is an alg that is %j', async (alg) => {
    expect(await judged(await ec.sign(theClaims(), { alg }))).toEqual(because(/"alg"/));
  });

  it('nor is an algorithm that is not configured, though the issuer has a key for it', async () => {
    const rules = theRules({ algorithms: ['RS256'] });
    expect(await judged(await ec.sign(), several, rules)).toEqual(because(/"alg".* not allowed/));
    expect(await judged(await rsa.sign(), several, rules)).toEqual(acme);
  });
});

describe('HMAC with the public key, which anybody can make', () => {
  const { kid: _, ...bare } = rsa.jwk;
  const secrets: [string, Issuer, string | Uint8Array][] = [
    ['as PEM', rsa, rsa.publicKey],
    ['as PEM that ends in a line break', rsa, `${rsa.publicKey}\n`],
    ['of P-256 as PEM', ec, ec.publicKey],
    ['as JWK', rsa, JSON.stringify(rsa.jwk)],
    ['as JWK without a name', rsa, JSON.stringify(bare)],
    ['of P-256 as JWK', ec, JSON.stringify(ec.jwk)],
    ['as JWKS', rsa, JSON.stringify(rsa.jwks)],
    ['as modulus', rsa, base64url.decode(String(rsa.jwk.n))],
    ['as x of P-256', ec, base64url.decode(String(ec.jwk.x))],
    ['as x of Ed25519', ed, base64url.decode(String(ed.jwk.x))],
  ];

  it.each(secrets)('%s is no signature', async (_, { kid }, secret) => {
    for (const bits of [256, 384, 512]) {
      const signer = hmac(`SHA-${bits}`, secret);
      for (const alg of [`HS${bits}`, `hs${bits}`]) {
        expect(await judged(await compact({ alg, kid }, theClaims(), signer))).toEqual(because(/"alg".* not allowed/));
      }
      // Nor under the algorithm the key is for, nor where somebody had allowed HMAC.
      const { alg } = kid === rsa.kid ? rsa.jwk : ec.jwk;
      expect(await judged(await compact({ alg, kid }, theClaims(), signer))).toEqual(invalid);
      const careless = theRules({ algorithms: ['RS256', `HS${bits}`] });
      const forged = await compact({ alg: `HS${bits}`, kid }, theClaims(), signer);
      expect(await judged(forged, several, careless)).toEqual(invalid);
    }
  });

  it('is none with a symmetric key that the issuer published either', async () => {
    const secret = crypto.getRandomValues(new Uint8Array(32));
    const oct = { kty: 'oct', k: base64url.encode(secret), kid: 'oct', alg: 'HS256' };
    const keys = createLocalJWKSet({ keys: [oct, ec.jwk] });
    const forged = await compact({ alg: 'HS256', kid: 'oct' }, theClaims(), hmac('SHA-256', secret));
    expect(await judged(forged, keys)).toEqual(invalid);
    expect(await judged(forged, keys, theRules({ algorithms: ['HS256', 'ES256'] }))).toEqual(invalid);
  });
});

describe.each([
  ['one key', single],
  ['several keys', several],
])('of an issuer with %s, a token', (_, keys) => {
  it('that names the key is taken', async () => {
    expect(await judged(await ec.sign(), keys)).toEqual(acme);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['null', null],
    ['a number', 0],
    ['an object', { kid: ec.kid }],
    ['an array', [ec.kid]],
  ])('whose kid is %s is refused', async (_, kid) => {
    expect(await judged(await ec.sign(theClaims(), { kid }), keys)).toEqual(because(/"kid"/));
  });

  it.each([
    ['unknown', 'nobody-knows-it'],
    ['that of another key', rsa.kid],
    ['in capitals', ec.kid.toUpperCase()],
    ['a name and a NUL', `${ec.kid}\0`],
    ['a name and a space', `${ec.kid} `],
    ['a path', '../../../dev/null'],
    ['a URL', 'https://forger.example/jwks'],
    ['SQL', "x' UNION SELECT 'key' --"],
    ['a command', '| cat /etc/passwd'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['of 5,000 letters', 'x'.repeat(5000)],
  ])('whose kid is %s is refused', async (_, kid) => {
    for (const issuer of [ec, forger]) {
      expect(await judged(await issuer.sign(theClaims(), { kid }), keys)).toEqual(because(/^no applicable key/));
    }
  });

  it('whose kid has 1 MB is refused', async () => {
    const answer = await judged(await ec.sign(theClaims(), { kid: 'x'.repeat(1_000_000) }), keys);
    expect(answer).toEqual(because(/longer than 8 KiB/));
  });

  it('whose kid stands in __proto__ is refused', async () => {
    const header = `{"alg":"ES256","__proto__":{"kid":"${ec.kid}"}}`;
    expect(await judged(await compact(header, theClaims(), ec.signer), keys)).toEqual(because(/"kid"/));
  });
});

describe('a header', () => {
  const url = 'https://forger.example/keys';

  it.each([
    ['an embedded key', { jwk: forger.jwk }],
    ['the embedded key of the issuer itself', { jwk: ec.jwk }],
    ['where to fetch the key: jku', { jku: url }],
    ['where to fetch a certificate: x5u', { x5u: url }],
    ['a certificate: x5c', { x5c: ['MIIB'] }],
    ['an extension nobody understands: crit', { crit: ['x'], x: 1 }],
    ['crit with b64', { crit: ['b64'], b64: true }],
    ['an empty crit', { crit: [] }],
    ['b64: false', { b64: false }],
    ['b64: false and crit', { b64: false, crit: ['b64'] }],
    ['compression: zip', { zip: 'DEF' }],
    ['encryption: enc', { enc: 'A256GCM' }],
  ])('with %s is refused, whoever signed it', async (_, more) => {
    for (const issuer of [ec, forger]) {
      expect(await judged(await issuer.sign(theClaims(), more))).toEqual(because(/must not have "\w+"$/));
    }
  });

  it('with b64: false is refused with the claims as they are, too', async () => {
    const header = encoded({ alg: 'ES256', kid: ec.kid, b64: false, crit: ['b64'] });
    const signature = base64url.encode(await ec.signer(new TextEncoder().encode(`${header}.claims`)));
    expect(await judged(`${header}.claims.${signature}`)).toEqual(because(/must not have "crit"/));
  });

  it.each(['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/jwt', 'application/at+jwt'])(
    'with the typ %s is taken',
    async (typ) => expect(await judged(await ec.sign(theClaims(), { typ }))).toEqual(acme),
  );

  it.each(['id_token+jwt', 'dpop+jwt', 'logout+jwt', 'secevent+jwt', 'JOSE', 'xat+jwt', 'JWT ', '', null, ['JWT']])(
    'with the typ %j is refused',
    async (typ) => expect(await judged(await ec.sign(theClaims(), { typ }))).toEqual(because(/"typ"/)),
  );

  it.each(['', 'null', '[]', '"header"', '7', '{', '{"alg":"ES256"', `{"alg":"ES256","kid":"${ec.kid}"}x`])(
    'that is %j is refused',
    async (header) => {
      expect(await judged(await compact(header, theClaims(), ec.signer))).toEqual(
        header === '' ? because(FORM) : because(/cannot be read$/),
      );
    },
  );

  it('may name the certificate of its key, as Entra ID does', async () => {
    const thumbprints = { x5t: 'L1KfKFI_jnXbwWc22xZxw1sUHH0', 'x5t#S256': 'x' };
    expect(await judged(await ec.sign(theClaims(), thumbprints))).toEqual(acme);
  });
});

describe('a key', () => {
  const setOf = (jwk: JWK) => createLocalJWKSet({ keys: [jwk] });

  it.each([
    ['for encryption (use: enc)', { use: 'enc' }],
    ['for other operations (key_ops)', { key_ops: ['encrypt'] }],
    ['for no operation', { key_ops: [] }],
    ['for another algorithm', { alg: 'ES384' }],
    ['with a curve that is not its own', { crv: 'P-384' }],
    ['of another kind', { kty: 'RSA' }],
    ['whose point is not on the curve', { x: base64url.encode(new Uint8Array(32)) }],
  ])('%s verifies nothing', async (_, changed) => {
    expect(await judged(await ec.sign(), setOf(ec.jwk))).toEqual(acme);
    expect(await judged(await ec.sign(), setOf({ ...ec.jwk, ...changed }))).toEqual(invalid);
  });

  it('that is private verifies nothing', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), kid: ec.kid, alg: 'ES256' };
    expect(await judged(await ec.sign(), setOf(jwk))).toEqual(invalid);
  });

  it('of another kind under the same name is not taken for it', async () => {
    const keys = createLocalJWKSet({ keys: [{ ...rsa.jwk, kid: ec.kid }, ec.jwk] });
    expect(await judged(await ec.sign(), keys)).toEqual(acme);
    expect(await judged(await forger.sign(), keys)).toEqual(because(/^signature verification failed$/));
  });

  it('serves one algorithm: a key for RS256 verifies no PS256', async () => {
    const swapped = await ps.sign(theClaims(), { kid: rsa.kid });
    expect(await judged(swapped)).toEqual(because(/^no applicable key/));
  });

  it('of RSA with 1024 bits verifies nothing', async () => {
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
