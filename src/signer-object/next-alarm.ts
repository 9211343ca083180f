import { pendingAlarm } from '../lib/alarm.ts';
import { backoff } from '../lib/backoff.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/time.ts';
import type { Network } from '../network/network.ts';
import { RESERVE_RANKS } from '../pass/step-kinds.ts';
import { reasonRow } from '../pass/wait-reasons.ts';
import { ANNOUNCE_AGAIN_MS } from './announcements.ts';
import { ACCEPTANCE_CHECK_MS } from './contract-watch.ts';
import { isEarlierStoreAwaited } from './earlier-store.ts';
import type { Signer } from './signer.ts';
import { hasConfirmed, nextDue } from './step-queries.ts';
import { SIGNER, type Wait } from './waits.ts';

const TRACK_MIN_MS = 500;
const TRACK_MAX_MS = 5 * SECOND_MS;
const UNANSWERED_TRACK_MAX_MS = 30 * SECOND_MS;
/** How often confirmed transactions are tracked. Finality takes minutes on most networks, and no request waits for it. */
export const FINALITY_TRACK_MS = 15 * SECOND_MS;
const RETRY_WAITING_MS = 2 * SECOND_MS;
/** How soon a lane at its ceiling is tried again while some of its steps may use the reserve. */
const CEILING_RETRY_RESERVED_MS = 15 * SECOND_MS;
/** How soon the alarm fires while steps wait and a client may be suspended. */
const SUSPENSION_CHECK_MS = MINUTE_MS;

/** Returns how often transactions in flight are tracked, in milliseconds: twice per block, within fixed bounds. */
export function trackIntervalMs({ blockMs }: Network): number {
  return Math.min(TRACK_MAX_MS, Math.max(TRACK_MIN_MS, blockMs / 2));
}

/** Returns the same interval, longer if the nodes did not answer: `unansweredRuns` counts such tracking runs in a row. */
export function trackDelayMs(network: Network, unansweredRuns: number): number {
  return backoff(trackIntervalMs(network), unansweredRuns, UNANSWERED_TRACK_MAX_MS);
}

/** Returns when the signer has work next (milliseconds); undefined if it has none. */
export function nextAlarm(
  signer: Signer,
  now: Milliseconds,
  unansweredRuns = 0,
  isUrgent = false,
): Milliseconds | undefined {
  const { network, steps, storage, contracts } = signer;
  if (isUrgent) return now + trackIntervalMs(network);
  const requeued = steps.requeued().length;
  const dues = [
    steps.unminedCount > requeued ? now + trackDelayMs(network, unansweredRuns) : undefined,
    hasConfirmed(storage.sql) || requeued > 0 ? now + FINALITY_TRACK_MS : undefined,
    steps.hasOutcomes ? now + ANNOUNCE_AGAIN_MS : undefined,
    nextRetry(signer, now),
    signer.suspended.isEmpty || steps.lanes.inTurn().length === 0 ? undefined : now + SUSPENSION_CHECK_MS,
    isEarlierStoreAwaited(storage.kv) ? now + FINALITY_TRACK_MS : undefined,
    steps.nextForget(),
    contracts?.nextCheck(now),
    contracts?.isHolding && steps.lanes.inTurn().length > 0 ? now + ACCEPTANCE_CHECK_MS : undefined,
  ].filter((due) => due !== undefined);
  return dues.length === 0 ? undefined : Math.min(...dues);
}

/** Returns when a waiting step may be prepared next; undefined if none waits. Stops at the first lane that is due. */
function nextRetry({ storage, steps, waits }: Signer, now: Milliseconds): Milliseconds | undefined {
  const { lanes } = steps;
  const soonest = Math.max(now + RETRY_WAITING_MS, waits.blocking(SIGNER, now)?.until ?? 0);
  let next: Milliseconds | undefined;
  for (const lane of lanes.inTurn()) {
    const dues = lanes.waitingRanks(lane).map((rank) => nextDue(storage.sql, lane, rank) ?? 0);
    const isReserved = RESERVE_RANKS.some((rank) => lanes.countOf(lane, rank) > 0);
    const ends = ([SIGNER, lane] as const).flatMap((scope) =>
      waits.active(scope, now).map((wait) => endOf(wait, isReserved, now)),
    );
    const due = Math.max(soonest, Math.min(...dues), ...ends);
    if (due === soonest) return soonest;
    next = Math.min(next ?? due, due);
  }
  return next;
}

/** Returns when to try again. Some steps of the ranks that may use the reserve may also wait for the ceiling. */
function endOf({ code, until }: Wait, isReserved: boolean, now: Milliseconds): Milliseconds {
  return reasonRow(code).sparesReserve && isReserved ? Math.min(until, now + CEILING_RETRY_RESERVED_MS) : until;
}

/** Sets the alarm to `due`, unless it fires sooner. */
export async function wakeBy(storage: DurableObjectStorage, due: Milliseconds): Promise<void> {
  const at = await pendingAlarm(storage);
  if (at === null || at > due) await storage.setAlarm(due);
}
