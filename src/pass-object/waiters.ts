import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { isSettled } from '../pass/next-step.ts';
import type { Pass } from '../pass/pass.ts';
import { READ_PRIMARY } from '../store/bookmarked-reads.ts';
import type { Publication } from '../store/passes.ts';
import type { Store } from '../store/store.ts';
import { isPublishedWith } from './alarm-times.ts';
import { loadPass } from './pass-store.ts';
import { publicationOf } from './publication.ts';

/** A pass as returned to a request that waited for it. */
export interface AwaitedPass {
  readonly publication: Publication;
  /** Database bookmark at which a reader sees that publication. */
  readonly bookmark: string;
  /** False: too many requests were waiting, so this one was answered at once. */
  readonly waited: boolean;
}

/** Maximum number of waiters per pass. Each one is an open request and uses memory of the object. */
const MAX_WAITERS = 1_000;
/** How long a waiter waits until somebody else has published the settled pass. It is also the timeout of the object's own publication. */
const PUBLISH_TIMEOUT_MS = 2_000;

/**
 * The requests that wait until the pass is settled. In memory only: changes of the pass wake them, so nothing is polled or
 * stored for them. If the object restarts, they are lost, and their requests answer without the wait.
 */
export class Waiters {
  readonly #storage: DurableObjectStorage;
  readonly #store: Store;
  readonly #waiting = new Set<(woken: boolean) => void>();
  /** The newest version that the read model is known to have. */
  #published: number | undefined;
  #eventsInFeed = 0;
  /** The version that the object has published, or is publishing, for its waiters, and the resulting bookmark. */
  #publishing: { readonly version: number; readonly bookmark: Promise<string> } | undefined;

  constructor(storage: DurableObjectStorage, store: Store) {
    this.#storage = storage;
    this.#store = store;
  }

  /**
   * Returns the pass once it is settled and the read model has it, or after `ms` milliseconds as it is. Returns at once if too
   * many requests wait. Undefined if there is no such pass.
   */
  async waitUntilSettled(ms: number): Promise<AwaitedPass | undefined> {
    const until = Date.now() + ms;
    await this.#checkAlarm();
    for (;;) {
      // No `await` from here to the wait: the waiter would miss a change in between.
      const pass = loadPass(this.#storage)?.pass;
      if (pass === undefined) return undefined;
      const settled = isSettled(pass);
      if (settled && this.#published === pass.version) return awaitedPassOf(pass, READ_PRIMARY);
      if (this.#waiting.size >= MAX_WAITERS) return awaitedPassOf(pass, await this.#publish(pass), false);
      const left = until - Date.now();
      const woken = await this.#waitForWake(settled ? Math.min(left, PUBLISH_TIMEOUT_MS) : left);
      if (woken) continue;
      const last = loadPass(this.#storage)?.pass ?? pass;
      return awaitedPassOf(last, await this.#publish(last));
    }
  }

  /** Wakes all waiters, because the pass has changed. */
  wake(): void {
    for (const wake of this.#waiting) wake(true);
  }

  /** Records that the read model has that version, and the feed the events up to number `eventsInFeed`. */
  markPublished(version: number, eventsInFeed = 0): void {
    if (this.#published === undefined || this.#published < version) this.#published = version;
    this.#eventsInFeed = Math.max(this.#eventsInFeed, eventsInFeed);
    this.wake();
  }

  /** Number of the newest feed event that the feed is known to have. */
  get eventsInFeed(): number {
    return this.#eventsInFeed;
  }

  /** Reads from the alarm whether a settled pass is published. Both are written and read without an `await` between them. */
  async #checkAlarm(): Promise<void> {
    const pass = loadPass(this.#storage)?.pass;
    if (pass === undefined || this.#published === pass.version || !isSettled(pass)) return;
    if (isPublishedWith(await this.#storage.getAlarm())) this.#published = pass.version;
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

  /**
   * Publishes a version before a waiter returns it, once for all waiters: a partner must find the returned version in the read
   * model. Returns after a timeout if the database does not answer.
   */
  #publish(pass: Pass): Promise<string> {
    const { version, id } = pass;
    if (this.#publishing?.version === version) return this.#publishing.bookmark;
    const publication = publicationOf(pass);
    const published = this.#store.publishPasses([publication]).then(
      (bookmark) => {
        this.markPublished(version, publication.eventsInFeed);
        return bookmark;
      },
      (fault) => {
        // Reset this even if no request waits any longer: the next waiter then tries again.
        logFault('pass.publish_failed', fault, { pass: id });
        if (this.#publishing?.version === version) this.#publishing = undefined;
        return READ_PRIMARY;
      },
    );
    const bookmark = withTimeout(PUBLISH_TIMEOUT_MS, published, READ_PRIMARY);
    this.#publishing = { version, bookmark };
    return bookmark;
  }
}

function awaitedPassOf(pass: Pass, bookmark: string, waited = true): AwaitedPass {
  return { publication: publicationOf(pass), bookmark, waited };
}
