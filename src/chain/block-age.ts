import { MINUTE_MS, type Milliseconds, SECOND_MS, type UnixSeconds } from '../lib/units.ts';

/**
 * Whether an endpoint may be behind its chain, so that it may not show newer state. An old newest block has three causes: the endpoint
 * or its chain makes no progress, the endpoint catches up, or the clock of the chain is wrong. Only in the last case do new blocks keep
 * pace with the real time.
 */

/** The newest block that an endpoint shows. */
export interface NewestBlock {
  /** Its number; on Solana, its slot. */
  readonly height: number;
  readonly time: UnixSeconds;
}

const BEHIND_MS = 10 * MINUTE_MS;
/** Faster blocks are those of an endpoint that catches up. Blocks come in steps: hence the constant part. */
const PACE_MAX = 1.5;
const STEP_MAX_MS = 15 * SECOND_MS;

interface Seen extends NewestBlock {
  /** When the endpoint first showed it. */
  readonly at: Milliseconds;
}

/** The old blocks of an endpoint: the first one, and the newest. */
interface OldBlocks {
  readonly first: Seen;
  readonly newest: Seen;
}

/** Whether a block of that time is so old that newer ones may exist. */
export function isOld(time: UnixSeconds, now: Milliseconds): boolean {
  return now - time * SECOND_MS > BEHIND_MS;
}

/** In memory only: another isolate learns it again. */
const known = new WeakMap<object, OldBlocks>();

/**
 * Returns whether the endpoint may be behind its chain. A chain that makes blocks on demand looks the same while nobody uses it, so this
 * must not prevent a broadcast.
 * @param endpoint Identifies the endpoint, or the sequence of endpoints, whose earlier blocks count.
 */
export function mayBeBehind(endpoint: object, { height, time }: NewestBlock, now: Milliseconds): boolean {
  if (!isOld(time, now)) {
    known.delete(endpoint);
    return false;
  }
  const block = { height, time, at: now };
  const { first, newest: before } = known.get(endpoint) ?? { first: block, newest: block };
  const newest = height > before.height ? block : before;
  known.set(endpoint, { first, newest });
  const isAdvancing = newest.height > first.height && now - newest.at <= BEHIND_MS;
  const isCatchingUp = (newest.time - first.time) * SECOND_MS > PACE_MAX * (newest.at - first.at) + STEP_MAX_MS;
  const isFarBehind = (newest.time - time) * SECOND_MS > BEHIND_MS;
  return !isAdvancing || isCatchingUp || isFarBehind;
}

/** Blocks whose time lies beyond this factor of the usual one are those of a wrong clock, or a lie. */
const FACTOR_MAX = 10;

/**
 * Returns the time between two blocks in the part of the chain between these two, within a factor of 10 of the usual time. Returns the
 * usual time if they show none, for example two blocks of the same second.
 * @param usualMs The time of the network's data.
 */
export function measureBlockMs(earlier: NewestBlock, later: NewestBlock, usualMs: Milliseconds): Milliseconds {
  const blocks = later.height - earlier.height;
  const ms = (later.time - earlier.time) * 1000;
  if (!(blocks > 0 && ms > 0)) return usualMs;
  return Math.min(FACTOR_MAX * usualMs, Math.max(usualMs / FACTOR_MAX, ms / blocks));
}
