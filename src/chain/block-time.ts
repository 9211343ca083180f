import type { Milliseconds } from '../lib/brand.ts';
import type { NewestBlock } from './block-age.ts';

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
