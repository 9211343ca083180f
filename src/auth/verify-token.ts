import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import type { TokenRules } from '../config/config.ts';
import { CLIENT_ID, isScopeOf } from '../config/token-rules.ts';
import { DAY_SECONDS, MINUTE_MS } from '../lib/units.ts';
import { claimOf } from './claim-of.ts';
import { KeysUnavailable } from './key-set.ts';

/** The bearer of a valid access token. */
export interface Bearer {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly claims: JWTPayload;
  /** Time from which the token is refused, in Unix milliseconds. */
  readonly expiresAt: number;
}

export type VerificationRules = Omit<TokenRules, 'scopes'>;

/**
 * `retryAfter` is the number of seconds after which the issuer's keys are fetched again at the earliest. `isUnproven`: the issuer
 * answers, and had no such key some seconds ago.
 */
export type TokenRefusal =
  | { readonly type: 'token_missing'; readonly reason: 'missing' }
  | { readonly type: 'token_invalid'; readonly reason: TokenFault; readonly detail: string }
  | { readonly type: 'temporarily_unavailable'; readonly retryAfter: number; readonly isUnproven?: true };

/** The codes of jose that have a reason of their own. */
const JOSE_FAULTS = {
  ERR_JWT_EXPIRED: 'expired',
  ERR_JWT_CLAIM_VALIDATION_FAILED: 'claim',
  ERR_JWKS_NO_MATCHING_KEY: 'unknown_key',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'signature',
  ERR_JOSE_ALG_NOT_ALLOWED: 'algorithm',
} as const;

/** Why a token is refused, for the metrics. `issuer`, `audience` and `claim`: the claim has another value than the configuration demands. */
export type TokenFault =
  | 'missing'
  | 'malformed'
  | 'header'
  | 'lifetime'
  | 'other_kind'
  | 'no_client'
  | 'no_person'
  | 'issuer'
  | 'audience'
  | 'other'
  | (typeof JOSE_FAULTS)[keyof typeof JOSE_FAULTS];

const MAX_LENGTH = 'Bearer '.length + 8 * 1024;
const MAX_LIFETIME_SECONDS = DAY_SECONDS;
const TOLERANCE_SECONDS = 60;

/**
 * Returns the bearer of the access token in an `Authorization: Bearer …` header (RFC 6750 §2.1), or why the token is refused.
 * The rules are those of RFC 9068 §4, except that `typ` may be missing. It is stricter than jose:
 * - the header names the key
 * - exp and iat are required
 * - the lifetime is at most 24 h
 * - the token has at most 8 KiB
 * - ID tokens are refused
 * @param now Unix milliseconds.
 */
export async function verifyToken(
  authorization: string | null,
  rules: VerificationRules,
  keys: JWTVerifyGetKey,
  now: number,
): Promise<Bearer | TokenRefusal> {
  // RFC 6750 §3.1: another scheme counts as a missing token, not as an invalid one.
  if (authorization === null || !/^Bearer\b/i.test(authorization)) return { type: 'token_missing', reason: 'missing' };
  if (authorization.length > MAX_LENGTH) return refuseToken('malformed', 'the access token is longer than 8 KiB');
  const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i.exec(authorization)?.[1];
  if (token === undefined)
    return refuseToken(
      'malformed',
      'the header must be "Authorization: Bearer <access token>", and the token a signed JWT',
    );
  const fault = findHeaderFault(token);
  if (fault !== undefined) return refuseToken('header', fault);
  try {
    const { issuer, audience, binding } = rules;
    const isBound = binding !== undefined && decodeJwt(token).aud === undefined;
    const payload = await verifyPayload(token, keys, {
      issuer,
      ...(!isBound && { audience }),
      algorithms: [...rules.algorithms],
      requiredClaims: ['exp', 'iat'],
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: new Date(now),
    });
    if (isBound && claimOf(payload, binding.claim) !== binding.value)
      return refuseToken(
        'audience',
        `the access token has no "aud", and not the value of TOKEN_BINDING in "${binding.claim}"`,
      );
    return bearerOf(payload, rules, now / 1000);
  } catch (error) {
    if (error instanceof KeysUnavailable) {
      const { retryAfter, isUnproven } = error;
      return { type: 'temporarily_unavailable', retryAfter, ...(isUnproven && { isUnproven }) };
    }
    // jose's messages name the failed rule and do not quote the token. No other message may reach the caller.
    if (!(error instanceof errors.JOSEError)) return refuseToken('other', 'the access token cannot be read');
    return refuseToken(faultOf(error), error.message);
  }
}

/** Returns the payload. An issuer may list a key twice, or several keys under one id: tries each that matches. Throws the faults of jose. */
async function verifyPayload(token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (several) {
    if (!(several instanceof errors.JWKSMultipleMatchingKeys)) throw several;
    for await (const key of several) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (fault) {
        // jose checks the signature before the claims.
        if (!(fault instanceof errors.JWSSignatureVerificationFailed)) throw fault;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function bearerOf(payload: JWTPayload, rules: VerificationRules, nowSeconds: number): Bearer | TokenRefusal {
  const { exp = 0, iat = 0 } = payload;
  if (exp - iat > MAX_LIFETIME_SECONDS) return refuseToken('lifetime', 'the access token lives longer than 24 hours');
  // jose checks iat only if a maximum age is set.
  if (iat > nowSeconds + TOLERANCE_SECONDS) return refuseToken('lifetime', 'the access token was issued in the future');
  if (isOtherTokenKind(payload)) return refuseToken('other_kind', 'this is not an access token');
  const clientId = claimOf(payload, rules.clientClaim);
  if (typeof clientId !== 'string' || !CLIENT_ID.test(clientId))
    return refuseToken('no_client', 'the access token does not name a client');
  const named = parseScopes(claimOf(payload, rules.scopeClaim));
  // Without an audience, only the name of a scope says that it is one of this API.
  const scopes = payload.aud === undefined ? named.filter((scope) => isScopeOf(rules.audience, scope)) : named;
  const expiresAt = (exp + TOLERANCE_SECONDS) * 1000;
  return { clientId, scopes, claims: payload, expiresAt };
}

/**
 * Whether the issuer signed this as an ID token (OpenID Connect Core §2 and §3.3.2.11), or as another kind that Cognito marks
 * in `token_use` and Keycloak in `typ`. Such tokens have another audience, unless a client has the same name as the audience.
 */
function isOtherTokenKind({ token_use: use = 'access', typ, ...claims }: JWTPayload): boolean {
  const ofIdToken = ['nonce', 'at_hash', 'c_hash'].some((name) => Object.hasOwn(claims, name));
  return ofIdToken || use !== 'access' || (typeof typ === 'string' && /^(id|refresh|offline|logout)/i.test(typ));
}

/** Returns the scopes of a string with names separated by spaces (RFC 8693 §4.2), or of an array of names. */
function parseScopes(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter(Boolean);
  return Array.isArray(claim) ? claim.filter((name) => typeof name === 'string') : [];
}

function refuseToken(reason: TokenFault, detail: string): TokenRefusal {
  return { type: 'token_invalid', reason, detail };
}

function faultOf(error: errors.JOSEError): TokenFault {
  const { code, claim } = error as { code: string; claim?: unknown };
  const known = Object.hasOwn(JOSE_FAULTS, code) ? JOSE_FAULTS[code as keyof typeof JOSE_FAULTS] : 'other';
  return known !== 'claim' ? known : claim === 'iss' ? 'issuer' : claim === 'aud' ? 'audience' : known;
}

/**
 * Header parameters that no valid token has:
 * - a key, or the URL of a key (RFC 7515 §4.1.2–6), with which a forger could choose the key
 * - extensions (RFC 7515 §4.1.11, RFC 7797)
 * - parameters of encryption (RFC 7516 §4.1.2–3)
 */
const FORBIDDEN_PARAMETERS = ['jwk', 'jku', 'x5u', 'x5c', 'crit', 'b64', 'enc', 'zip'];

/** `JWT` (RFC 7515 §4.1.9), which ID tokens may have too, or `at+jwt` (RFC 9068 §2.1), which few issuers set. */
const ACCESS_TOKEN = /^(application\/)?(at\+)?jwt$/i;

/** Returns the fault in the header of a compact JWS, or undefined. It runs before any part of the token is trusted. */
function findHeaderFault(token: string): string | undefined {
  const header = headerOf(token);
  if (header === undefined) return 'the header of the access token cannot be read';
  const unwanted = FORBIDDEN_PARAMETERS.find((name) => Object.hasOwn(header, name));
  if (unwanted !== undefined) return `the header of the access token must not have "${unwanted}"`;
  const { kid, typ } = header;
  // Required even if the issuer has one key: otherwise its tokens would suddenly be refused once it has a second one.
  if (typeof kid !== 'string' || kid === '') return 'the access token does not name its key ("kid")';
  if (typ === undefined || (typeof typ === 'string' && ACCESS_TOKEN.test(typ))) return undefined;
  return 'the "typ" of the token is not the type of an access token';
}

/** Returns the protected header, unverified; undefined if it is not a JSON object. */
function headerOf(token: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return undefined;
  }
}

/** How long a verified token is not verified again, and the maximum number of cached tokens. */
const CACHE_MS = MINUTE_MS;
const CACHE_MAX_TOKENS = 1_000;

interface Verified {
  readonly bearer: Bearer;
  readonly at: number;
}

/** Verified tokens by rules, then by the exact text of the header. Any other text is verified. */
const verifiedTokens = new WeakMap<VerificationRules, Map<string, Verified>>();

/**
 * Returns the same as `verifyToken`, but does not verify a token again within a minute, so that a partner's requests do not all
 * verify the same signature. The cache never extends the lifetime of a token, and it does not store refusals.
 */
export async function verifyCachedToken(
  authorization: string | null,
  rules: VerificationRules,
  keys: JWTVerifyGetKey,
  now: number,
): Promise<Bearer | TokenRefusal> {
  const verified = verifiedTokens.get(rules) ?? new Map<string, Verified>();
  verifiedTokens.set(rules, verified);
  const known = authorization === null ? undefined : verified.get(authorization);
  // If the clock was set back, ignore the entry: the token may not be valid yet.
  if (known && now >= known.at && now < Math.min(known.at + CACHE_MS, known.bearer.expiresAt)) return known.bearer;
  const bearer = await verifyToken(authorization, rules, keys, now);
  if (authorization === null || 'type' in bearer) return bearer;
  // Insert it as the newest entry; the oldest one makes room.
  verified.delete(authorization);
  verified.set(authorization, { bearer, at: now });
  const [oldest] = verified.keys();
  if (verified.size > CACHE_MAX_TOKENS && oldest !== undefined) verified.delete(oldest);
  return bearer;
}
