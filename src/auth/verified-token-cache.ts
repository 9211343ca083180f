import type { JWTVerifyGetKey } from 'jose';
import { type Bearer, type TokenRefusal, type VerificationRules, verifyToken } from './verify-token.ts';

/** How long a token that was verified is not verified again (ms), and of how many tokens that is remembered. */
const CACHE_MS = 60_000;
const CACHE_MAX_TOKENS = 1_000;

interface Verified {
  readonly bearer: Bearer;
  readonly at: number;
}

/** By the rules that the token was held against, then by the header as it came: any other text is verified. */
const verifiedTokens = new WeakMap<VerificationRules, Map<string, Verified>>();

/**
 * As `verifyToken`, but what was found good in the last minute is not verified again, so that a partner's requests do not
 * pay for the same signature each. A token is never good for longer by it than it says itself; refusals are not
 * remembered.
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
  // A clock that was set back makes it old: the token may not be valid yet.
  if (known && now >= known.at && now < Math.min(known.at + CACHE_MS, known.bearer.expiresAt)) return known.bearer;
  const bearer = await verifyToken(authorization, rules, keys, now);
  if (authorization === null || 'type' in bearer) return bearer;
  // Behind the others, of which the one that was verified first makes room.
  verified.delete(authorization);
  verified.set(authorization, { bearer, at: now });
  const [oldest] = verified.keys();
  if (verified.size > CACHE_MAX_TOKENS && oldest !== undefined) verified.delete(oldest);
  return bearer;
}
