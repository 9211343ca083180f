import type { Milliseconds } from '../lib/brand.ts';

/** Number of an endpoint's response times from which the median is computed. */
const REMEMBERED_TIMES = 5;

/** Returns the newest times, with the given one as the last. */
export function addTime(times: readonly Milliseconds[], time: Milliseconds): readonly Milliseconds[] {
  return [...times, time].slice(-REMEMBERED_TIMES);
}

/** Returns the median, or 0 while there are too few times, because those may be exceptions. */
export function medianTime(times: readonly Milliseconds[]): Milliseconds {
  return times.length < REMEMBERED_TIMES ? 0 : (times.toSorted((a, b) => a - b)[REMEMBERED_TIMES >> 1] ?? 0);
}
