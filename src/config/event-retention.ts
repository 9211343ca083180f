import type { Milliseconds, UnixSeconds } from '../lib/brand.ts';
import { FILLING_SHARE, FULL_SHARE } from './database-limit.ts';

const MIN_DAYS = 1;
const DAY_SECONDS = 86_400;

/**
 * Returns the time before which the feed deletes its events. A database keeps them for `feedDays` until it is 70 % full, for one
 * day from 95 % on, and for a number of days on the straight line in between.
 * @param fullShare Size of the database as a share of its maximum.
 */
export function oldestKeptTime(feedDays: number, fullShare: number, now: Milliseconds): UnixSeconds {
  const filling = (fullShare - FILLING_SHARE) / (FULL_SHARE - FILLING_SHARE);
  const shortened = Math.min(Math.max(filling, 0), 1);
  const days = feedDays - (feedDays - MIN_DAYS) * shortened;
  return Math.floor(now / 1000 - days * DAY_SECONDS);
}
