import type { Milliseconds } from './units.ts';
import { withTimeout } from './with-timeout.ts';

interface Ages {
  /** A younger value serves without a read. */
  readonly freshMs: Milliseconds;
  /** A younger value serves while a read runs in the background (`stale-while-revalidate` of RFC 5861). Default: `freshMs`. */
  readonly waitMs?: Milliseconds;
  /** A younger value serves if the read fails (`stale-if-error`). Default: `freshMs`. */
  readonly usableMs?: Milliseconds;
  /** Minimum time between the starts of two reads, even after a failed one. Default: 0. */
  readonly pauseMs?: Milliseconds;
}

/** A read that takes longer is no longer shared: the request or the object that began it may have ended without an answer. */
const SHARED_READ_MAX_MS = 10_000;

const NOT_SHARED = Symbol('not shared');

/** A value in memory that is read again when it is no longer fresh. Concurrent callers share one read. */
export class FreshValue<T> {
  readonly #ages: Required<Ages>;
  readonly #keepAlive: (read: Promise<unknown>) => void;
  #known: { readonly value: T; readonly readAt: Milliseconds } | undefined;
  #newest: Promise<T> | undefined;
  #isReading = false;
  #startedAt: Milliseconds = Number.NEGATIVE_INFINITY;

  /** @param keepAlive `waitUntil` if several requests share the value: a read must not end with the request that began it. */
  constructor(ages: Ages, keepAlive: (read: Promise<unknown>) => void = () => {}) {
    const { freshMs } = ages;
    this.#ages = { waitMs: freshMs, usableMs: freshMs, pauseMs: 0, ...ages };
    this.#keepAlive = keepAlive;
  }

  /** When the newest read began: Unix milliseconds; -Infinity if none did. */
  get startedAt(): Milliseconds {
    return this.#startedAt;
  }

  /** Returns the value, read again if necessary. Throws the fault of the read if it fails and no usable value is known. */
  async get(read: () => Promise<T>, now: Milliseconds = Date.now()): Promise<T> {
    const { freshMs, waitMs, usableMs } = this.#ages;
    const known = this.#known;
    const age = ageOf(known?.readAt, now);
    if (known !== undefined && age < freshMs) return known.value;
    const shared = this.#newest;
    const reading = this.refresh(read, now);
    if (known !== undefined && age < waitMs) return known.value;
    try {
      return await (reading === shared ? this.#join(reading, read, now) : reading);
    } catch (fault) {
      const last = this.#known;
      if (last !== undefined && ageOf(last.readAt, now) < usableMs) return last.value;
      throw fault;
    }
  }

  /** Returns the last value if it is usable, without a read. */
  last(now: Milliseconds = Date.now()): T | undefined {
    return ageOf(this.#known?.readAt, now) < this.#ages.usableMs ? this.#known?.value : undefined;
  }

  /** Stores a value that the caller learned otherwise. */
  set(value: T, readAt: Milliseconds = Date.now()): void {
    this.#known = { value, readAt };
  }

  /** Returns the newest read, and starts one unless one is under way or began less than `pauseMs` ago. */
  refresh(
    read: () => Promise<T>,
    now: Milliseconds = Date.now(),
    pauseMs: Milliseconds = this.#ages.pauseMs,
  ): Promise<T> {
    const since = ageOf(this.#startedAt, now);
    if (this.#newest !== undefined && (since < pauseMs || (this.#isReading && since < SHARED_READ_MAX_MS)))
      return this.#newest;
    this.#startedAt = now;
    this.#isReading = true;
    const reading: Promise<T> = read()
      .then((value) => {
        if (this.#newest === reading) this.set(value, now);
        return value;
      })
      .finally(() => {
        if (this.#newest === reading) this.#isReading = false;
      });
    this.#newest = reading;
    this.#keepAlive(reading.catch(() => {}));
    return reading;
  }

  /** Waits for the read of another caller as long as it is shared. Then the value of a later read counts. */
  async #join(reading: Promise<T>, read: () => Promise<T>, now: Milliseconds): Promise<T> {
    const waitMs = SHARED_READ_MAX_MS - ageOf(this.#startedAt, now);
    // Nobody reads again in a longer pause.
    if (waitMs <= 0) return reading;
    const result = await withTimeout(waitMs, reading, NOT_SHARED);
    return result === NOT_SHARED ? this.get(read, now + waitMs) : result;
  }
}

/** Returns the distance to that moment. If the clock was set back, the moment counts as old instead of young for a long time. */
function ageOf(moment: Milliseconds | undefined, now: Milliseconds): Milliseconds {
  return moment === undefined ? Number.POSITIVE_INFINITY : Math.abs(now - moment);
}
