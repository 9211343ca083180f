import { nowSeconds } from '../lib/units.ts';
import { isSettled } from '../pass/next-step.ts';
import { READ_PRIMARY } from '../store/bookmarked-reads.ts';
import { type Outbox, PUBLISH_TIMEOUT_MS } from './outbox.ts';
import type { PassKeeper } from './pass-keeper.ts';
import { type AwaitedPass, publicationOf } from './results.ts';
import type { StoredPass } from './stored-pass.ts';

/** Maximum number of waiters per pass. Each one is an open request and uses memory of the object. */
const MAX_WAITERS = 1_000;
/**
 * A pass that has been unsettled for longer waits for a network or the operator, and nobody waits for it. Each waiting request keeps its
 * object in memory.
 */
const UNSETTLED_MAX_SECONDS = 120;

/**
 * The requests that wait until the pass is settled. In memory only: changes of the pass wake them, so nothing is polled or
 * stored for them. If the object restarts, they are lost, and their requests answer without the wait.
 */
export class Waiters {
  readonly #keeper: Pick<PassKeeper, 'load'>;
  readonly #outbox: Pick<Outbox, 'publishInTime'>;
  readonly #waiting = new Set<(woken: boolean) => void>();

  constructor(keeper: Pick<PassKeeper, 'load'>, outbox: Pick<Outbox, 'publishInTime'>) {
    this.#keeper = keeper;
    this.#outbox = outbox;
  }

  /**
   * Returns the pass once it is settled and the read model has it, or after `ms` milliseconds as it is. Returns at once if too
   * many requests wait, or if the pass has been unsettled for more than two minutes. Undefined if there is no such pass.
   */
  async waitUntilSettled(ms: number): Promise<AwaitedPass | undefined> {
    const until = Date.now() + ms;
    const begun = nowSeconds();
    for (;;) {
      // No `await` from here to the wait: the waiter would miss a change in between.
      const stored = this.#keeper.load();
      if (stored === undefined) return undefined;
      const settled = isSettled(stored.pass);
      if (settled && stored.sent.version === stored.pass.version) return awaitedPassOf(stored, READ_PRIMARY);
      const isStuck = begun - (stored.unsettledSince ?? begun) > UNSETTLED_MAX_SECONDS;
      if (isStuck || this.#waiting.size >= MAX_WAITERS)
        return awaitedPassOf(stored, await this.#outbox.publishInTime(stored), false);
      const left = until - Date.now();
      // Somebody else may publish the settled pass meanwhile.
      const woken = await this.#waitForWake(settled ? Math.min(left, PUBLISH_TIMEOUT_MS) : left);
      if (woken) continue;
      const last = this.#keeper.load() ?? stored;
      return awaitedPassOf(last, await this.#outbox.publishInTime(last));
    }
  }

  /** Wakes all waiters, because the pass has changed, or D1 has it. */
  wake(): void {
    for (const wake of this.#waiting) wake(true);
  }

  /** Returns whether the waiter was woken within that time. */
  async #waitForWake(ms: number): Promise<boolean> {
    if (ms <= 0) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), ms);
    this.#waiting.add(resolve);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(resolve);
    }
  }
}

function awaitedPassOf(stored: StoredPass, bookmark: string, waited = true): AwaitedPass {
  return { publication: publicationOf(stored), bookmark, waited };
}
