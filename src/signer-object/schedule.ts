import { pendingAlarm } from '../lib/alarm.ts';
import { backoff, HOUR_MS, MINUTE_MS, type Milliseconds, SECOND_MS } from '../lib/units.ts';
import type { ProcessPass } from '../message/queue.ts';
import type { Network } from '../network/network.ts';
import { passIdOf } from '../pass/step.ts';
import { reasonRow } from '../pass/wait-reasons.ts';
import { SIGNER, type Wait } from './lanes.ts';
import { earlierStoreOf } from './schema.ts';
import type { Signer } from './signer.ts';
import { hasConfirmed, nextDue } from './step-queries.ts';

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
/** How soon the alarm fires while steps wait for the code of a contract: a deployment may have accepted it. */
const ACCEPTANCE_CHECK_MS = MINUTE_MS;

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
    earlierStoreOf(storage.kv)?.isAwaited ? now + FINALITY_TRACK_MS : undefined,
    steps.nextForget(),
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
    const isReserved = lanes.mayUseReserve([lane]);
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

/** Maximum number of outcomes that are announced at once. */
const ANNOUNCE_MAX_STEPS = 1_000;
/** How long the signer waits for the acknowledgment of an outcome before it announces the outcome again. */
const ANNOUNCE_AGAIN_MS = 30 * SECOND_MS;
/**
 * Longest delay between two announcements. While a database is unavailable or full, its passes cannot be published, so
 * nobody acknowledges their outcomes. Announcing them must cost little.
 */
const ANNOUNCE_AGAIN_MAX_MS = HOUR_MS;

interface Announced {
  readonly times: number;
  readonly againAt: Milliseconds;
}

/** Selects the outcomes to announce: unacknowledged ones, each repeatedly with a growing delay. In memory only. */
export class Announcements {
  readonly #announced = new Map<string, Announced>();
  /** Whether more outcomes are due than were taken. */
  hasMore = false;

  /**
   * Returns the messages of outcomes to announce, and counts these as announced.
   * @param awaited The steps whose `submit` returns the outcome.
   */
  takeDue(
    { name, steps }: Pick<Signer, 'name' | 'steps'>,
    awaited: ReadonlySet<string>,
    now: Milliseconds,
  ): ProcessPass[] {
    const isDue = (id: string) => !awaited.has(id) && (this.#announced.get(id)?.againAt ?? now) <= now;
    const due = [...steps.outcomes()].filter(({ id }) => isDue(id));
    const taken = due.slice(0, ANNOUNCE_MAX_STEPS);
    this.hasMore = taken.length < due.length;
    for (const { id } of taken) this.countAsAnnounced(id, now);
    return taken.map(({ id, key }) => ({ pass: key, news: { signer: name, id: passIdOf(id) } }));
  }

  /** Records that the outcome was announced, or returned to a caller, so that the next announcement comes later. */
  countAsAnnounced(id: string, now: Milliseconds): void {
    const times = this.#announced.get(id)?.times ?? 0;
    const againAt = now + backoff(ANNOUNCE_AGAIN_MS, times, ANNOUNCE_AGAIN_MAX_MS);
    this.#announced.set(id, { times: times + 1, againAt });
  }

  /** Forgets an outcome that was acknowledged. */
  forget(id: string): void {
    this.#announced.delete(id);
  }
}
