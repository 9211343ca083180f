import type { JWTVerifyGetKey } from 'jose';
import { MINUTE_MS } from '../lib/time.ts';
import { type Bearer, type TokenRefusal, type VerificationRules, verifyToken } from './verify-token.ts';

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
