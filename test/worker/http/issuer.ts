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
 * A Worker that trusts the issuer of these tests, which signs tokens for clients, scopes and claims that the localnet's
 * authorization server does not issue. Everything else is as in a deployment.
 */
export const TRUSTING = { TOKEN_ISSUER: ISSUER, JWKS_URL: jwksUrl };
export const trustingWorker: Send = workerWith(TRUSTING);

export const ALL_SCOPES = 'search:pass issue:pass update:pass webhook:manage manage:rules';

export type Claims = Readonly<Record<string, unknown>>;

/** Returns a valid token with these claims replaced; undefined removes a claim. */
export async function aToken(claims: Claims, key: CryptoKey = privateKey): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const good = { iss: ISSUER, aud: env.TOKEN_AUDIENCE, iat: now, exp: now + 3600, scope: ALL_SCOPES };
  return new SignJWT({ ...good, ...claims } as JWTPayload).setProtectedHeader({ alg: 'ES256', kid: 'key' }).sign(key);
}

let made = 0;

/** Returns an unused client id. The service caches partners, so a test must not reuse one. */
export const newClientId = () => `client-${++made}`;

/** Returns the public key of a gatekeeper network that the gateway contract does not know. */
export const newGatekeeperNetwork = () =>
  base58.encode(crypto.getRandomValues(new Uint8Array(32))) as GatekeeperNetwork;

/** Overrides for a new partner. */
export interface PartnerOverrides extends Partial<Registration> {
  /** The scopes of its token. */
  readonly scope?: string;
  /** The Worker that it calls. */
  readonly send?: Send;
}

/** Registers a new partner and returns an API client for it. By default it has its own gatekeeper network. */
export async function aPartner(overrides: PartnerOverrides = {}): Promise<Api & Registration> {
  const { scope = ALL_SCOPES, send = trustingWorker, ...row } = overrides;
  const registration: Registration = { clientId: newClientId(), gatekeeperNetwork: newGatekeeperNetwork(), ...row };
  await register(registration);
  return Object.assign(new Api(await aToken({ client_id: registration.clientId, scope }), send), registration);
}
