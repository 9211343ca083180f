import { CompactEncrypt, EncryptJWT, generateKeyPair } from 'jose';
import { ALGORITHM_ATTACKS } from './algorithm-attacks.ts';
import { compact, der } from './an-issuer.ts';
import { HEADER_ATTACKS } from './header-attacks.ts';
import { type Claims, FORM, SIGNATURE, type Target, TOO_LONG, type TokenAttack } from './token-attack.ts';

const NO_ACCESS_TOKEN = /^this is not an access token$/;

const SIGNATURES: readonly TokenAttack[] = [
  { name: 'signed by a forger', detail: SIGNATURE, forge: ({ forger, claims }) => [forger.sign(claims())] },
  {
    name: 'with an ES256 signature of r = s = 0',
    detail: SIGNATURE,
    forge: ({ ec, claims }) => [compact({ alg: 'ES256', kid: ec.kid }, claims(), () => new Uint8Array(64))],
  },
  {
    name: 'with an ES256 signature in DER',
    detail: SIGNATURE,
    forge: ({ ec, claims }) => [
      compact({ alg: 'ES256', kid: ec.kid }, claims(), async (input) => der(await ec.signer(input))),
    ],
  },
];

const SERIALIZATIONS: readonly TokenAttack[] = [
  {
    name: 'that is a JWE for another key',
    detail: FORM,
    forge: ({ rsa, claims }) => [
      generateKeyPair('RSA-OAEP-256').then(({ publicKey }) => {
        const header = { alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: rsa.kid };
        return new EncryptJWT(claims()).setProtectedHeader(header).encrypt(publicKey);
      }),
    ],
  },
  {
    name: 'that is a JWE with a good token in it',
    detail: FORM,
    forge: ({ ec, claims }) => [
      ec.sign(claims()).then((token) => {
        const header = { alg: 'dir', enc: 'A256GCM', cty: 'JWT', kid: ec.kid };
        const nested = new CompactEncrypt(new TextEncoder().encode(token)).setProtectedHeader(header);
        return nested.encrypt(new Uint8Array(32));
      }),
    ],
  },
  {
    name: 'in a JSON serialization',
    detail: FORM,
    forge: ({ ec, claims }) => {
      const serialized = async (write: (header?: string, payload?: string, signature?: string) => object) =>
        JSON.stringify(write(...(await ec.sign(claims())).split('.')));
      return [
        serialized((header, payload, signature) => ({ payload, protected: header, signature })),
        serialized((header, payload, signature) => ({ payload, signatures: [{ protected: header, signature }] })),
        serialized((_, payload, signature) => ({ payload, header: { alg: 'ES256', kid: ec.kid }, signature })),
      ];
    },
  },
];

const LIFETIME = /lives longer than 24 hours$/;
const FUTURE = /issued in the future$/;
const CLAIMS: readonly TokenAttack[] = (
  [
    ['that is an ID token', /"aud"/, ({ clientId }) => ({ aud: clientId, nonce: 'x', at_hash: 'x' })],
    ['that is an ID token for our audience', NO_ACCESS_TOKEN, () => ({ nonce: 'x', at_hash: 'x' })],
    ['that has expired', /^"exp"/, ({ now }) => ({ iat: now() - 600, exp: now() - 60 })],
    ['that is not valid yet', /^"nbf"/, ({ now }) => ({ nbf: now() + 90 })],
    ['without exp', /required "exp"/, () => ({ exp: undefined })],
    ['that expires in the year 9999', LIFETIME, () => ({ exp: 253_402_300_799 })],
    ['issued in the future', FUTURE, ({ now }) => ({ iat: now() + 90 })],
    ['without an audience', /"aud"/, () => ({ aud: undefined })],
    ['whose audience is a substring of ours', /"aud"/, ({ audience }) => ({ aud: audience.slice(0, -1) })],
    ['whose audience is an array of others', /"aud"/, ({ audience }) => ({ aud: [`${audience}/`, 'x'] })],
    ['whose issuer ends in a slash', /"iss"/, ({ issuer }) => ({ iss: `${issuer}/` })],
    ['whose issuer has another case', /"iss"/, ({ issuer }) => ({ iss: issuer.toUpperCase() })],
    [
      'with the client id in another claim',
      /does not name a client$/,
      ({ clientId }) => ({ client_id: undefined, azp: clientId }),
    ],
    ['of more than 8 KiB', TOO_LONG, () => ({ pad: 'x'.repeat(8192) })],
  ] as const satisfies readonly (readonly [string, RegExp, (target: Target) => Claims])[]
).map(([name, detail, changed]) => ({
  name,
  detail,
  forge: (target: Target) => [target.ec.sign(target.claims(changed(target)))],
}));

/**
 * Forged, foreign and malformed tokens. The verifier must refuse each of them, called directly and over HTTP, whether the
 * issuer has one key or several.
 */
export const TOKEN_ATTACKS: readonly TokenAttack[] = [
  ...ALGORITHM_ATTACKS,
  ...HEADER_ATTACKS,
  ...SIGNATURES,
  ...SERIALIZATIONS,
  ...CLAIMS,
];
