import { waitUntil } from 'cloudflare:workers';
import { MINUTE_MS, type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { Settlement } from '../pass/requests.ts';
import {
  ALL,
  type COUNTED,
  type Counts,
  keyOf,
  type Labels,
  OTHER_PARTNERS,
  SUM,
  TIMED,
  type TimedLabels,
} from './counted.ts';

/** A part of an isolate's counts. The metrics object adds each number of an isolate once, however often it arrives. */
export interface Batch {
  /** Random name of the isolate. */
  readonly isolate: string;
  /** Number of the batch, from 1. */
  readonly n: number;
  readonly counts: Counts;
}

/** An isolate sends its counts at most this often. */
const SEND_EVERY_MS = 10 * SECOND_MS;
const SEND_TIMEOUT_MS = 10 * SECOND_MS;
/** The platform ends background work soon after its event, without notice. Then the next event sends. */
const SENDING_MAX_MS = MINUTE_MS;
/** Maximum number of counts that an isolate keeps. Beyond it, further partners count as others. */
const MAX_COUNTS = 5_000;

type Sender = Pick<Env, 'METRICS'>;

/** The counts of this isolate that the metrics object may lack. */
export class IsolateCounts {
  #isolate = '';
  #n = 0;
  #counts = new Map<string, number>();
  /** The batch that is being sent, or whose answer got lost. It is sent again unchanged. */
  #unanswered: Batch | undefined;
  #sendingSince: Milliseconds = Number.NEGATIVE_INFINITY;
  #sentAt: Milliseconds = Number.NEGATIVE_INFINITY;
  #isAway = false;
  readonly #everyMs: Milliseconds;

  constructor(everyMs: Milliseconds = SEND_EVERY_MS) {
    this.#everyMs = everyMs;
  }

  add(key: string, by: number): void {
    const known = this.#counts.get(key);
    if (known !== undefined || this.#counts.size < MAX_COUNTS) this.#counts.set(key, (known ?? 0) + by);
  }

  get size(): number {
    return this.#counts.size;
  }

  get isFull(): boolean {
    return this.size >= MAX_COUNTS;
  }

  /** Whether the metrics object did not answer last. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /**
   * Sends the counts in the background, ten seconds after the first one, unless that is under way. Nobody waits for it, and a
   * failure keeps the counts.
   */
  sendSoon(env: Sender): void {
    this.#begin(env, this.#everyMs);
  }

  /** The same for an object, without a timer: that would keep the object in memory. Between two sendings it leaves the counts to the next call. */
  sendNow(env: Sender): void {
    if (Math.abs(Date.now() - this.#sentAt) >= this.#everyMs) this.#begin(env, 0);
  }

  #begin({ METRICS }: Sender, inMs: Milliseconds): void {
    const now = Date.now();
    if ((this.#counts.size === 0 && this.#unanswered === undefined) || METRICS === undefined) return;
    // A clock that was set back must not stop it.
    if (Math.abs(now - this.#sendingSince) < SENDING_MAX_MS) return;
    this.#sendingSince = now;
    waitUntil(this.#send(METRICS, inMs));
  }

  async #send(metrics: Env['METRICS'], inMs: Milliseconds): Promise<void> {
    try {
      if (inMs > 0) await scheduler.wait(inMs);
      this.#sentAt = Date.now();
      const batch = this.#nextBatch();
      // An event from now on sends its counts itself: it may be the last one of the isolate.
      this.#sendingSince = Number.NEGATIVE_INFINITY;
      await within(SEND_TIMEOUT_MS, metrics.getByName(METRICS_NAME).add(batch), 'the metrics object');
      if (this.#unanswered === batch) this.#unanswered = undefined;
      this.#isAway = false;
    } catch (fault) {
      // One line for each time that it goes away: every isolate tries again with its next request.
      if (!this.#isAway) logFault('metrics.unreachable', fault);
      this.#isAway = true;
    }
  }

  #nextBatch(): Batch {
    if (this.#unanswered !== undefined) return this.#unanswered;
    // Random values exist only while an event is handled.
    if (this.#isolate === '') this.#isolate = crypto.randomUUID();
    this.#n += 1;
    this.#unanswered = { isolate: this.#isolate, n: this.#n, counts: Object.fromEntries(this.#counts) };
    this.#counts = new Map();
    return this.#unanswered;
  }
}

/** The name of the one metrics object. */
export const METRICS_NAME = 'metrics';

const isolate = new IsolateCounts();

export function count<Name extends keyof typeof COUNTED>(name: Name, labels: Labels<Name>): void {
  isolate.add(keyOf(name, labels), 1);
}

/** Counts a request of a partner; undefined: it is unknown. */
export function countRequest(route: string, method: string, status: string, partner: string | undefined): void {
  count('requests', [route, method, status, isolate.isFull && partner ? OTHER_PARTNERS : (partner ?? '')]);
}

/** Counts a duration in the bucket with the next higher bound. */
export function time<Name extends keyof typeof TIMED>(name: Name, labels: TimedLabels<Name>, seconds: number): void {
  const bounds: readonly number[] = TIMED[name].bounds;
  const bound = bounds.find((each) => seconds <= each);
  const values = labels as readonly string[];
  if (bound !== undefined) isolate.add(keyOf(name, [...values, String(bound)]), 1);
  isolate.add(keyOf(name, [...values, ALL]), 1);
  isolate.add(keyOf(name, [...values, SUM]), Math.max(0, seconds));
}

/** Sends the counts of this isolate in the background, at most every ten seconds. */
export function sendCounts(env: Sender): void {
  isolate.sendSoon(env);
}

/** The same for an object, without a timer. */
export function sendCountsNow(env: Sender): void {
  isolate.sendNow(env);
}

/** Counts a request whose effect the read model shows; undefined: none. */
export function countSettlement(settlement: Settlement | undefined): void {
  if (settlement === undefined) return;
  const { network, kind, seconds, isLate } = settlement;
  time('settlementSeconds', [network, kind], seconds);
  if (isLate) count('settledLate', [network, kind]);
}
