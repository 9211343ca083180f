import { env } from 'cloudflare:workers';
import { base58 } from '@scure/base';
import { importJWK, type JWTPayload, SignJWT } from 'jose';
import { inject } from 'vitest';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import { Api, type Registration, register, type Send, workerWith } from './api.ts';

const ISSUER = 'https://issuer.example';
const { jwksUrl, privateKey: jwk } = inject('specialIssuer');
const privateKey = (await importJWK(jwk, 'ES256')) as CryptoKey;

/**
 * A Worker that trusts an issuer of these tests: for clients, scopes and claims that the localnet's authorization server
 * does not give out. Everything else of it is as deployed.
 */
export const TRUSTING = { TOKEN_ISSUER: ISSUER, JWKS_URL: jwksUrl };
export const trustingWorker: Send = workerWith(TRUSTING);

export const ALL_SCOPES = 'search:pass issue:pass update:pass';

export type Claims = Readonly<Record<string, unknown>>;

/** A good token but for these claims; undefined takes one away. */
export async function aToken(claims: Claims, key: CryptoKey = privateKey): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const good = { iss: ISSUER, aud: env.TOKEN_AUDIENCE, iat: now, exp: now + 3600, scope: ALL_SCOPES };
  return new SignJWT({ ...good, ...claims } as JWTPayload).setProtectedHeader({ alg: 'ES256', kid: 'key' }).sign(key);
}

let made = 0;

/** A client id nobody has used: what is known of a partner is remembered for a while. */
export const newClientId = () => `client-${++made}`;

/** A public key, as gatekeeper networks have it; the gateway contract does not know it. */
export const newGatekeeperNetwork = () =>
  base58.encode(crypto.getRandomValues(new Uint8Array(32))) as GatekeeperNetwork;

/** Overrides of a new partner. */
export interface PartnerOverrides extends Partial<Registration> {
  /** The scopes of its token. */
  readonly scope?: string;
  /** The Worker that it calls. */
  readonly send?: Send;
}

/** Registers a new partner and returns its client; by default of a gatekeeper network that no other partner has. */
export async function aPartner(overrides: PartnerOverrides = {}): Promise<Api & Registration> {
  const { scope = ALL_SCOPES, send = trustingWorker, ...row } = overrides;
  const registration: Registration = { clientId: newClientId(), gatekeeperNetwork: newGatekeeperNetwork(), ...row };
  await register(registration);
  return Object.assign(new Api(await aToken({ client_id: registration.clientId, scope }), send), registration);
}
