import type { Milliseconds } from '../lib/brand.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/time.ts';

/** Delays of the nine retries. */
export const RETRY_DELAYS_MS: readonly Milliseconds[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  DAY_MS,
];
/** A random share lengthens each delay, so that the retries of many events spread. */
const JITTER_SHARE = 0.1;
const RETRY_AFTER_MAX_MS = DAY_MS;
const EARLY_MIN_MS = 5 * SECOND_MS;
const EARLY_MAX_MS = 10 * MINUTE_MS;

/**
 * Returns when the next retry is due; undefined: there is none left. Pure.
 * @param failures Number of scheduled attempts that failed, including the first one.
 * @param retryAfterMs The delay that the receiver asks for. It only lengthens the delay.
 * @param random From 0 to 1.
 */
export function nextRetryAt(
  failures: number,
  now: Milliseconds,
  retryAfterMs: Milliseconds,
  random: number,
): Milliseconds | undefined {
  const delay = RETRY_DELAYS_MS[failures - 1];
  if (delay === undefined) return undefined;
  return now + Math.max(delay * (1 + JITTER_SHARE * random), retryAfterMs);
}

/**
 * Returns from when on a success of another event makes a failed event due before its time. If it fails again and again while
 * others succeed, the time doubles. Pure.
 * @param beforeMs This delay after the attempt before; 0: that attempt was a scheduled one, or the first.
 */
export function nextEarlyAt(beforeMs: Milliseconds, now: Milliseconds, retryAfterMs: Milliseconds): Milliseconds {
  return now + Math.max(EARLY_MIN_MS, Math.min(2 * beforeMs, EARLY_MAX_MS), retryAfterMs);
}

/** Returns the delay in `Retry-After`, in seconds or as a date (RFC 9110 §10.2.3), at most a day; 0 if there is none. */
export function retryAfterMsOf(header: string | null, now: Milliseconds): Milliseconds {
  if (header === null) return 0;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * SECOND_MS : Date.parse(header) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), RETRY_AFTER_MAX_MS);
}
