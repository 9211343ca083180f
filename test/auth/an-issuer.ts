import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JSONWebKeySet,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import type { TokenRules } from '../../src/config/config.ts';

/** Milliseconds; the moment at which the tokens of the tests are looked at. */
export const NOW = 1_800_000_000_000;
export const SECONDS = NOW / 1000;

/** What the tests accept, and what the test says about it. */
export function theRules(overrides: Partial<TokenRules> = {}): TokenRules {
  return {
    issuer: 'https://issuer.example',
    audience: 'https://gatepass.example',
    jwksUrl: 'https://issuer.example/jwks',
    algorithms: ['RS256', 'ES256', 'EdDSA'],
    clientClaim: 'client_id',
    scopeClaim: 'scope',
    scopes: { search: 'search:pass', issue: 'issue:pass', update: 'update:pass' },
    ...overrides,
  };
}

/** The claims of a good token, and what the test says about them; `undefined` leaves one out. */
export function theClaims(overrides: JWTPayload = {}): JWTPayload {
  return {
    iss: 'https://issuer.example',
    aud: 'https://gatepass.example',
    iat: SECONDS - 10,
    exp: SECONDS + 600,
    client_id: 'acme',
    scope: 'search:pass issue:pass',
    ...overrides,
  };
}

export interface Issuer {
  /** The public key set. */
  readonly jwks: JSONWebKeySet;
  /** The public key as text, which is no secret. */
  readonly publicKey: string;
  /** An access token with these claims, and a header the test may add to. */
  sign(claims?: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
}

/** An authorization server reduced to its key. */
export async function anIssuer(alg: string, kid = `a-key-for-${alg}`): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return {
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }] },
    publicKey: await exportSPKI(publicKey),
    sign: (claims = theClaims(), header = {}) => signed(claims, { alg, kid, ...header }, privateKey),
  };
}

/** A token signed with any key at all. */
export function signed(claims: JWTPayload, header: JWTHeaderParameters, key: CryptoKey | Uint8Array): Promise<string> {
  return new SignJWT(claims).setProtectedHeader(header).sign(key);
}
