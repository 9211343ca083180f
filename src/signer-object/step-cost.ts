import type { Signed } from '../chain/port.ts';
import type { Milliseconds, NanoCoins } from '../lib/brand.ts';
import { DAY_MS } from '../lib/time.ts';

/** Computes the amounts that a step's transactions add to the spending of a day. Blocks include one transaction per nonce. */

/** Days since 1970 (UTC). */
export type Day = number;

/**
 * A transaction counts at least its maximum cost divided by this number, even if it expired and cost nothing. An endpoint
 * that lies about the cost can hide spending only up to this factor. An honest receipt shows more than a third.
 */
const ACTUAL_MIN_PART = 4;

/** The amount counted for a step, and its transactions. */
interface Costs {
  readonly signed: readonly Pick<Signed, 'maxCost'>[];
  /** Amount counted for its transactions on `costDay`. */
  readonly cost: NanoCoins;
  readonly costDay: Day | undefined;
}

export function dayOf(now: Milliseconds): Day {
  return Math.floor(now / DAY_MS);
}

/** Returns when the day after that of `now` begins. */
export function nextMidnight(now: Milliseconds): Milliseconds {
  return (dayOf(now) + 1) * DAY_MS;
}

/** Returns the amount that a replacement adds: its maximum cost, less the amount counted today for the same nonce. */
export function addedCost(entry: Costs, { maxCost }: Pick<Signed, 'maxCost'>, now: Milliseconds): NanoCoins {
  return Math.max(0, maxCost - countedToday(entry, now));
}

/** Returns the amount to add once the actual cost is known: 0 or negative. An amount counted on an earlier day stays. */
export function costCorrection(entry: Costs, actual: NanoCoins | undefined, now: Milliseconds): NanoCoins {
  const counted = countedToday(entry, now);
  if (actual === undefined) return 0;
  return Math.min(0, Math.max(actual, Math.ceil(counted / ACTUAL_MIN_PART)) - counted);
}

/**
 * Returns the amount counted today for the nonce of the step's transactions. The row may also count earlier nonces, or only
 * a part of the most expensive transaction.
 */
function countedToday({ signed, cost, costDay }: Costs, now: Milliseconds): NanoCoins {
  if (costDay !== dayOf(now)) return 0;
  return Math.min(cost, Math.max(0, ...signed.map(({ maxCost }) => maxCost)));
}
