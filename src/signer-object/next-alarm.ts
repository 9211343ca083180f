import { backoff } from '../lib/backoff.ts';
import type { Milliseconds } from '../lib/brand.ts';
import type { Network } from '../network/network.ts';
import { RESERVE_RANKS } from '../pass/step-kinds.ts';
import { isEarlierStoreAwaited } from './earlier-store.ts';
import { pausedUntil } from './lane-pause.ts';
import { currentPause } from './pause.ts';
import type { Signer } from './signer.ts';
import { CEILING_RETRY_MS, nextMidnight } from './spending.ts';
import { countRequeued, IS_IN_FLIGHT, IS_UNMINED, nextDue } from './step-table.ts';

const TRACK_MIN_MS = 500;
const TRACK_MAX_MS = 5_000;
const UNANSWERED_TRACK_MAX_MS = 30_000;
/** How often confirmed transactions are tracked. Finality takes minutes on most networks, and no request waits for it. */
export const FINALITY_TRACK_MS = 15_000;
const RETRY_WAITING_MS = 2_000;
/** How soon a lane at its ceiling is tried again while some of its steps may be revocations. */
const CEILING_RETRY_REVOCATIONS_MS = 15_000;
/** How soon the alarm fires while steps wait and a client may be suspended. */
const SUSPENSION_CHECK_MS = 60_000;
/** How long the signer waits for the acknowledgment of an outcome before it announces the outcome again. */
export const ANNOUNCE_AGAIN_MS = 30_000;

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
  const { network } = signer;
  if (isUrgent) return now + trackIntervalMs(network);
  const { sql } = signer.storage;
  const has = (condition: string) => sql.exec(`SELECT 1 FROM step WHERE ${condition} LIMIT 1`).toArray().length > 0;
  const dues = [
    has(IS_UNMINED) ? now + trackDelayMs(network, unansweredRuns) : undefined,
    has(`${IS_IN_FLIGHT} AND status = 'confirmed'`) ? now + FINALITY_TRACK_MS : undefined,
    countRequeued(sql) > 0 ? now + FINALITY_TRACK_MS : undefined,
    has('unacknowledged = 1') ? now + ANNOUNCE_AGAIN_MS : undefined,
    nextRetry(signer, now),
    signer.suspended.isEmpty || signer.lanes.inTurn().length === 0 ? undefined : now + SUSPENSION_CHECK_MS,
    isEarlierStoreAwaited(signer.storage.kv) ? now + FINALITY_TRACK_MS : undefined,
    earliest(sql, 'SELECT min(forget_at) AS at FROM step WHERE forget_at IS NOT NULL'),
  ].filter((due) => due !== undefined);
  return dues.length === 0 ? undefined : Math.min(...dues);
}

/** Returns when a waiting step may be prepared next; undefined if none waits. Stops at the first lane that is due. */
function nextRetry({ storage, lanes, spending }: Signer, now: Milliseconds): Milliseconds | undefined {
  const soonest = Math.max(now + RETRY_WAITING_MS, currentPause(storage, now)?.until ?? 0);
  let next: Milliseconds | undefined;
  for (const lane of lanes.inTurn()) {
    const steps = lanes.waitingRanks(lane).map((rank) => nextDue(storage.sql, lane, rank) ?? 0);
    const isReached = spending.reachedBy(lane, now) !== undefined;
    const mayHaveRevocations = RESERVE_RANKS.some((rank) => lanes.countOf(lane, rank) > 0);
    const resumed = isReached ? ceilingRetry(mayHaveRevocations, now) : 0;
    const due = Math.max(soonest, pausedUntil(storage.sql, lane), Math.min(...steps), resumed);
    if (due === soonest) return soonest;
    next = Math.min(next ?? due, due);
  }
  return next;
}

function ceilingRetry(mayHaveRevocations: boolean, now: Milliseconds): Milliseconds {
  return Math.min(nextMidnight(now), now + (mayHaveRevocations ? CEILING_RETRY_REVOCATIONS_MS : CEILING_RETRY_MS));
}

function earliest(sql: SqlStorage, query: string): number | undefined {
  return sql.exec<{ at: number | null }>(query).one().at ?? undefined;
}

/** Sets the alarm to `due`, unless it fires sooner. */
export async function wakeBy(storage: DurableObjectStorage, due: Milliseconds): Promise<void> {
  const at = await storage.getAlarm();
  if (at === null || at > due) await storage.setAlarm(due);
}
