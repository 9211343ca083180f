import type { Milliseconds } from '../lib/brand.ts';

/** Response times of an endpoint whose median counts. */
const REMEMBERED_TIMES = 5;

/** Returns the newest times, with that one as the last. */
export function addTime(times: readonly Milliseconds[], time: Milliseconds): readonly Milliseconds[] {
  return [...times, time].slice(-REMEMBERED_TIMES);
}

/** Returns the median; 0 while there are few times, which may be exceptions. */
export function medianTime(times: readonly Milliseconds[]): Milliseconds {
  return times.length < REMEMBERED_TIMES ? 0 : (times.toSorted((a, b) => a - b)[REMEMBERED_TIMES >> 1] ?? 0);
}
