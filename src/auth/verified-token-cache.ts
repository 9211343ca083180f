import type { JWTVerifyGetKey } from 'jose';
import { type Bearer, type Rules, type TokenRefusal, verifyToken } from './verify-token.ts';

/** How long a token that was verified is not verified again (ms), and of how many tokens that is remembered. */
const KEPT_MS = 60_000;
const MOST = 1_000;

interface Verified {
  readonly bearer: Bearer;
  readonly at: number;
}

/** By the rules that the token was held against, then by the header as it came: any other text is verified. */
const remembered = new WeakMap<Rules, Map<string, Verified>>();

/**
 * As `verifyToken`, but what was found good in the last minute is not verified again, so that a partner's requests do not
 * pay for the same signature each. A token is never good for longer by it than it says itself; refusals are not
 * remembered.
 */
export async function bearerIn(
  authorization: string | null,
  rules: Rules,
  keys: JWTVerifyGetKey,
  now: number,
): Promise<Bearer | TokenRefusal> {
  const verified = remembered.get(rules) ?? new Map<string, Verified>();
  remembered.set(rules, verified);
  const known = authorization === null ? undefined : verified.get(authorization);
  // A clock that was set back makes it old: the token may not be valid yet.
  if (known && now >= known.at && now < Math.min(known.at + KEPT_MS, known.bearer.expiresAt)) return known.bearer;
  const bearer = await verifyToken(authorization, rules, keys, now);
  if (authorization === null || 'reason' in bearer) return bearer;
  // Behind the others, of which the one that was verified first makes room.
  verified.delete(authorization);
  verified.set(authorization, { bearer, at: now });
  const [oldest] = verified.keys();
  if (verified.size > MOST && oldest !== undefined) verified.delete(oldest);
  return bearer;
}
