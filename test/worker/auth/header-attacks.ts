import { base64url } from 'jose';
import { compact, encoded } from './an-issuer.ts';
import { FORM, type Target, TOO_LONG, type TokenAttack } from './token-attack.ts';

const KID = /"kid"/;
const NO_KEY = /^no applicable key/;

const KIDS: readonly TokenAttack[] = [
  ...(
    [
      ['is missing', () => undefined],
      ['is empty', () => ''],
      ['is null', () => null],
      ['is a number', () => 0],
      ['is an object', ({ ec }) => ({ kid: ec.kid })],
      ['is an object with a method', () => ({ toString: 'ec' })],
      ['is an array', ({ ec }) => [ec.kid]],
    ] as const satisfies readonly (readonly [string, (target: Target) => unknown])[]
  ).map(([name, kid]) => ({
    name: `whose kid ${name}`,
    detail: KID,
    forge: (target: Target) => [target.ec.sign(target.claims(), { kid: kid(target) })],
  })),
  ...(
    [
      ['is unknown', () => 'nobody-knows-it'],
      ['is that of another key', ({ rsa }) => rsa.kid],
      ['is in capitals', ({ ec }) => ec.kid.toUpperCase()],
      ['is a name and a NUL', ({ ec }) => `${ec.kid}\0`],
      ['is a name and a space', ({ ec }) => `${ec.kid} `],
      ['is a path', () => '../../../dev/null'],
      ['is a URL', () => 'https://forger.example/jwks'],
      ['is SQL', () => "x' UNION SELECT 'key' --"],
      ['is an SQL condition', () => "' OR 1=1 --"],
      ['is a command', () => '| cat /etc/passwd'],
      ['is __proto__', () => '__proto__'],
      ['is constructor', () => 'constructor'],
      ['has 5,000 letters', () => 'x'.repeat(5000)],
    ] as const satisfies readonly (readonly [string, (target: Target) => string])[]
  ).map(([name, kid]) => ({
    name: `whose kid ${name}`,
    detail: NO_KEY,
    forge: (target: Target) =>
      [target.ec, target.forger].map((issuer) => issuer.sign(target.claims(), { kid: kid(target) })),
  })),
  {
    name: 'whose kid has 1 MB',
    detail: TOO_LONG,
    forge: ({ ec, claims }) => [ec.sign(claims(), { kid: 'x'.repeat(1_000_000) })],
  },
  {
    name: 'whose kid is in __proto__',
    detail: KID,
    forge: ({ ec, claims }) => [compact(`{"alg":"ES256","__proto__":{"kid":"${ec.kid}"}}`, claims(), ec.signer)],
  },
  {
    name: 'of PS256 that names a key for RS256',
    detail: NO_KEY,
    forge: ({ ps, rsa, claims }) => [ps.sign(claims(), { kid: rsa.kid })],
  },
];

const KEYS_URL = 'https://forger.example/keys';
const HEADERS: readonly TokenAttack[] = [
  ...(
    [
      ['an embedded key', ({ forger }) => ({ jwk: forger.jwk })],
      ['the embedded key of the issuer itself', ({ ec }) => ({ jwk: ec.jwk })],
      ['the URL of a key: jku', () => ({ jku: KEYS_URL })],
      ['the URL of a certificate: x5u', () => ({ x5u: KEYS_URL })],
      ['a certificate: x5c', () => ({ x5c: ['MIIB'] })],
      ['an unknown extension: crit', () => ({ crit: ['x'], x: 1 })],
      ['crit for exp', () => ({ crit: ['exp'], exp: 1 })],
      ['crit for b64', () => ({ crit: ['b64'], b64: true })],
      ['an empty crit', () => ({ crit: [] })],
      ['b64: false', () => ({ b64: false })],
      ['b64: false and crit', () => ({ b64: false, crit: ['b64'] })],
      ['compression: zip', () => ({ zip: 'DEF' })],
      ['encryption: enc', () => ({ enc: 'A256GCM' })],
    ] as const satisfies readonly (readonly [string, (target: Target) => Readonly<Record<string, unknown>>])[]
  ).map(([name, header]) => ({
    name: `whose header has ${name}`,
    detail: /must not have "\w+"$/,
    forge: (target: Target) => [target.ec, target.forger].map((issuer) => issuer.sign(target.claims(), header(target))),
  })),
  {
    name: 'with b64: false and unencoded claims',
    detail: /must not have "crit"/,
    forge: ({ ec }) => {
      const header = encoded({ alg: 'ES256', kid: ec.kid, b64: false, crit: ['b64'] });
      const signature = Promise.resolve(ec.signer(new TextEncoder().encode(`${header}.claims`)));
      return [signature.then((bytes) => `${header}.claims.${base64url.encode(bytes)}`)];
    },
  },
  ...['id_token+jwt', 'dpop+jwt', 'logout+jwt', 'secevent+jwt', 'JOSE', 'xat+jwt', 'JWT ', '', null, ['JWT']].map(
    (typ) => ({
      name: `of the typ ${JSON.stringify(typ)}`,
      detail: /"typ"/,
      forge: ({ ec, claims }: Target) => [ec.sign(claims(), { typ })],
    }),
  ),
  ...['', 'null', '[]', '"header"', '7', '{', '{"alg":"ES256"', '{"alg":"ES256","kid":"KID"}x'].map((header) => ({
    name: `whose header is ${JSON.stringify(header)}`,
    detail: header === '' ? FORM : /cannot be read$/,
    forge: ({ ec, claims }: Target) => [compact(header.replace('KID', ec.kid), claims(), ec.signer)],
  })),
];

/** Attacks with the key that a token names, and with the rest of its header. */
export const HEADER_ATTACKS: readonly TokenAttack[] = [...KIDS, ...HEADERS];
