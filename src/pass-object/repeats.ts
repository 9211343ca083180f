import { MINUTE_MS, type Milliseconds } from '../lib/units.ts';

/** Number of repeated requests in a minute that are a reason to try again. A program that loops would cost a message for each. */
const TRIES_PER_MINUTE = 3;

/** Counts the requests for a pass that change nothing. In memory only. */
export class Repeats {
  #since: Milliseconds = 0;
  #count = 0;

  /** Counts one. Returns whether the pass has had enough of them in this minute. */
  isEnough(now: Milliseconds = Date.now()): boolean {
    if (Math.abs(now - this.#since) >= MINUTE_MS) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count > TRIES_PER_MINUTE;
  }
}
