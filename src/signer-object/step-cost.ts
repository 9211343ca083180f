import type { Milliseconds, NanoCoins } from '../lib/brand.ts';
import { dayOf } from './spending.ts';
import type { StepEntry } from './step-table.ts';
import type { StoredTransaction } from './stored-names.ts';

/** What a step's transactions add to the spending of a day. Blocks include one transaction per nonce. */

/**
 * A transaction counts at least this part of what it can have cost, also if it cost nothing because it expired. An endpoint
 * that lies about it can hide spending only up to this factor; an honest receipt shows more than a third.
 */
const ACTUAL_MIN_PART = 4;

type Costs = Pick<StepEntry, 'signed' | 'cost' | 'costDay'>;

/** Returns what a replacement adds: the difference to the dearest transaction that is counted today, or all of it. */
export function addedCost(entry: Costs, { maxCost = 0 }: StoredTransaction, now: Milliseconds): NanoCoins {
  return Math.max(0, maxCost - countedToday(entry, now));
}

/** Returns what to add once `actual` is known, 0 or negative. What was counted on an earlier day stays. */
export function costCorrection(entry: Costs, actual: NanoCoins | undefined, now: Milliseconds): NanoCoins {
  const counted = countedToday(entry, now);
  if (actual === undefined) return 0;
  return Math.min(0, Math.max(actual, Math.ceil(counted / ACTUAL_MIN_PART)) - counted);
}

/** What today's sum has for the nonce of the step's transactions. The row may have earlier nonces, or a part of the dearest. */
function countedToday({ signed, cost, costDay }: Costs, now: Milliseconds): NanoCoins {
  if (costDay !== dayOf(now)) return 0;
  return Math.min(cost, Math.max(0, ...signed.map(({ maxCost = 0 }) => maxCost)));
}
