import { base64url } from 'jose';
import { compact, hmac, type Issuer } from './an-issuer.ts';
import { FORM, type Target, type TokenAttack } from './token-attack.ts';

const ALG = /"alg"/;
const ALG_NOT_ALLOWED = /"alg".* not allowed/;
const ANY = /./;

const NONE: readonly TokenAttack[] = ['none', 'None', 'NONE', 'nOnE', 'nonE', ' none', 'none\0', 'nоne', ''].flatMap(
  (alg) => {
    const header = ({ ec }: Target) => ({ alg, kid: ec.kid });
    const bare = (target: Target) => compact(header(target), target.claims(), () => new Uint8Array());
    return [
      {
        name: `of alg ${JSON.stringify(alg)} without a signature`,
        detail: FORM,
        forge: (target) => [bare(target), bare(target).then((token) => token.slice(0, -1))],
      },
      {
        name: `of alg ${JSON.stringify(alg)} with a signature`,
        detail: ALG,
        forge: (target) => [
          bare(target).then((token) => `${token}AAAA`),
          compact(header(target), target.claims(), target.ec.signer),
        ],
      },
    ] satisfies TokenAttack[];
  },
);

const ALGORITHMS: readonly TokenAttack[] = [undefined, null, 0, ['ES256'], { alg: 'ES256' }, true].map((alg) => ({
  name: `whose alg is ${JSON.stringify(alg)}`,
  detail: ALG,
  forge: ({ ec, claims }) => [ec.sign(claims(), { alg })],
}));

/** Texts and bytes that anybody can derive from the public keys. */
export const HMAC_SECRETS: readonly (readonly [
  name: string,
  issuer: 'rsa' | 'ec' | 'ed',
  secret: (issuer: Issuer) => string | Uint8Array,
])[] = [
  ['as PEM', 'rsa', ({ publicKey }) => publicKey],
  ['as PEM that ends in a line break', 'rsa', ({ publicKey }) => `${publicKey}\n`],
  ['of P-256 as PEM', 'ec', ({ publicKey }) => publicKey],
  ['as JWK', 'rsa', ({ jwk }) => JSON.stringify(jwk)],
  ['as JWK without a name', 'rsa', ({ jwk: { kid: _, ...bare } }) => JSON.stringify(bare)],
  ['of P-256 as JWK', 'ec', ({ jwk }) => JSON.stringify(jwk)],
  ['as JWKS', 'rsa', ({ jwks }) => JSON.stringify(jwks)],
  ['as modulus', 'rsa', ({ jwk }) => base64url.decode(String(jwk.n))],
  ['as x of P-256', 'ec', ({ jwk }) => base64url.decode(String(jwk.x))],
  ['as x of Ed25519', 'ed', ({ jwk }) => base64url.decode(String(jwk.x))],
];
export const HMAC_BITS = [256, 384, 512] as const;

const HMAC: readonly TokenAttack[] = HMAC_SECRETS.flatMap(([name, of, secret]) => {
  const forged = (target: Target, bits: number, alg: string | undefined) => {
    const issuer = target[of];
    return compact({ alg, kid: issuer.kid }, target.claims(), hmac(`SHA-${bits}`, secret(issuer)));
  };
  return [
    {
      name: `by HMAC with the public key ${name}`,
      detail: ALG_NOT_ALLOWED,
      forge: (target) =>
        HMAC_BITS.flatMap((bits) => [`HS${bits}`, `hs${bits}`].map((alg) => forged(target, bits, alg))),
    },
    {
      name: `by HMAC with the public key ${name}, under an algorithm of the issuer`,
      detail: ANY,
      forge: (target) =>
        HMAC_BITS.map((bits) => forged(target, bits, of === 'rsa' ? target.rsa.jwk.alg : target.ec.jwk.alg)),
    },
  ] satisfies TokenAttack[];
});

/** Attacks with the algorithm of the signature. */
export const ALGORITHM_ATTACKS: readonly TokenAttack[] = [...NONE, ...ALGORITHMS, ...HMAC];
