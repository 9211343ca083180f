import { MINUTE_MS } from '../lib/time.ts';

/** Lines of one caller that an isolate logs in a minute. So all refusals of a caller with a fault in its program are there. */
const LINES_PER_MINUTE = 100;
/** The share of further lines. The metrics count each of them. */
const SHARE_OF_MORE = 0.01;

const counts = new Map<string, number>();
let minute = 0;

/** Returns the share of the lines of a caller to log at this moment, and counts one. */
export function shareOfLines(caller: string, now = Date.now()): number {
  const current = Math.floor(now / MINUTE_MS);
  if (current !== minute) counts.clear();
  minute = current;
  const count = (counts.get(caller) ?? 0) + 1;
  counts.set(caller, count);
  return count <= LINES_PER_MINUTE ? 1 : SHARE_OF_MORE;
}
