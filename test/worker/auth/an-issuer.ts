import { base64url, exportJWK, exportSPKI, generateKeyPair, type JSONWebKeySet, type JWK, type JWTPayload } from 'jose';
import type { TokenRules } from '../../../src/config/config.ts';

/** The time (ms) at which the tests verify tokens. */
export const NOW = 1_800_000_000_000;
export const SECONDS = NOW / 1000;

/** The accepted rules, with the overrides of the test. */
export function theRules(overrides: Partial<TokenRules> = {}): TokenRules {
  return {
    issuer: 'https://issuer.example',
    audience: 'https://gatepass.example',
    jwksUrl: 'https://issuer.example/jwks',
    algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    clientClaim: 'client_id',
    scopeClaim: 'scope',
    scopes: {
      search: 'search:pass',
      issue: 'issue:pass',
      update: 'update:pass',
      webhook: 'webhook:manage',
      rules: 'manage:rules',
    },
    ...overrides,
  };
}

/** The claims of a valid token with overrides; `undefined` removes a claim. */
export function theClaims(overrides: Readonly<Record<string, unknown>> = {}): JWTPayload {
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

const SIGNED_WITH = {
  RS256: { name: 'RSASSA-PKCS1-v1_5' },
  PS256: { name: 'RSA-PSS', saltLength: 32 },
  ES256: { name: 'ECDSA', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
};

/** Signs bytes. */
export type Signer = (input: Uint8Array) => Promise<Uint8Array> | Uint8Array;

export interface Issuer {
  readonly kid: string;
  /** The public key, and its key set. */
  readonly jwk: JWK;
  readonly jwks: JSONWebKeySet;
  /** The public key as text. It is not a secret. */
  readonly publicKey: string;
  readonly signer: Signer;
  /** Returns an access token with these claims or this payload, and with more header fields if given. */
  sign(claims?: unknown, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** An authorization server with nothing but its key. */
export async function anIssuer(alg: keyof typeof SIGNED_WITH, kid = `a-key-for-${alg}`): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  const signer: Signer = async (input) => new Uint8Array(await crypto.subtle.sign(SIGNED_WITH[alg], privateKey, input));
  return {
    kid,
    jwk,
    jwks: { keys: [jwk] },
    publicKey: await exportSPKI(publicKey),
    signer,
    sign: (claims = theClaims(), header = {}) => compact({ alg, kid, ...header }, claims, signer),
  };
}

/** Returns a compact JWS of any header and payload: a text unchanged, other values as JSON. */
export async function compact(header: unknown, payload: unknown, signer: Signer): Promise<string> {
  const input = `${encoded(header)}.${encoded(payload)}`;
  return `${input}.${base64url.encode(await signer(new TextEncoder().encode(input)))}`;
}

export function encoded(value: unknown): string {
  return base64url.encode(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Signs with HMAC and any secret. */
export function hmac(hash: string, secret: string | Uint8Array): Signer {
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret;
  return async (input) => {
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash }, false, ['sign']);
    return new Uint8Array(await crypto.subtle.sign('HMAC', key, input));
  };
}

/** A signature of ES256 as OpenSSL writes it: its two numbers in ASN.1. */
export function der(signature: Uint8Array): Uint8Array {
  const numbers = [signature.subarray(0, 32), signature.subarray(32)].flatMap((each) =>
    Number(each[0]) < 128 ? [2, 32, ...each] : [2, 33, 0, ...each],
  );
  return Uint8Array.from([48, numbers.length, ...numbers]);
}
