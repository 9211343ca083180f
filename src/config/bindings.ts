import { DAY_SECONDS, type Milliseconds, type UnixSeconds } from '../lib/units.ts';
import { parseNumber } from './variable.ts';

/** Names and triggers in `wrangler.toml`. */

/** The first shard also stores the partners and the data of the admin routes. */
export const FIRST_SHARD = 'DB';

/** Whether the text is the name of a shard's binding: `DB`, `DB_1`, `DB_2` … */
export function isShardName(name: string): boolean {
  return /^DB(_[1-9]\d*)?$/.test(name);
}

/**
 * Whether a schedule of `[triggers] crons` runs every hour: the field for the hour is `*`. Any other schedule is the nightly one,
 * so that operators choose the times.
 */
export function isHourly(cron: string | undefined): boolean {
  return cron?.trim().split(/\s+/)[1] === '*';
}

/** How much a database may hold, and what happens before it is full. */

/** Maximum number of gatekeeper networks with public checks. Each isolate knows them all. The operator can enable no more. */
export const PUBLIC_NETWORKS_MAX = 10_000;

/** At this share of a database's maximum size, the operator gets a warning. */
export const FILLING_SHARE = 0.7;
/** At this share, a database accepts no new passes. The rest is for changes, which lengthen records. */
export const FULL_SHARE = 0.95;

/** Returns `DATABASE_MAX_BYTES`, the maximum size of each database. The default is D1's own maximum on the paid plan: 10 GB. */
export function parseDatabaseMaxBytes(env: Readonly<Record<string, unknown>>): number {
  const rule = 'must be a number of bytes, for example 10000000000';
  return parseNumber(env, 'DATABASE_MAX_BYTES', 10_000_000_000, { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, rule });
}

const MIN_DAYS = 1;

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
