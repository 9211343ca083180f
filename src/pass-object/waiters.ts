import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { isSettled } from '../pass/next-step.ts';
import type { Pass } from '../pass/pass.ts';
import { READ_PRIMARY } from '../store/bookmarked-reads.ts';
import type { Publication } from '../store/passes.ts';
import type { Store } from '../store/store.ts';
import { loadPass } from './pass-store.ts';
import { publicationOf } from './publication.ts';
import { isPublishedWith } from './retry-alarm.ts';

/** A pass as who has waited for it sees it. */
export interface AwaitedPass {
  readonly publication: Publication;
  /** Of who has seen that. */
  readonly bookmark: string;
  /** False: so many wait already that this one was answered at once. */
  readonly waited: boolean;
}

/** So many may wait for one pass: each is a request that stays open, and memory of the object. */
const MAX_WAITERS = 1_000;
/** How long a settled pass is left to who brings it to the read model; then its object does, and waits as long for that. */
const PUBLISH_TIMEOUT_MS = 2_000;

/**
 * Who waits for the pass to settle. In memory only: they are woken by what happens to the pass anyway, nothing is asked or
 * stored for them, and with the object they are gone; their requests answer without having waited then.
 */
export class Waiters {
  readonly #storage: DurableObjectStorage;
  readonly #store: Store;
  readonly #waiting = new Set<(woken: boolean) => void>();
  /** The newest version that the read model is known to have. */
  #published: number | undefined;
  /** A version that was, or is being, brought there for those who wait, and the bookmark that comes of it. */
  #publishing: { readonly version: number; readonly bookmark: Promise<string> } | undefined;

  constructor(storage: DurableObjectStorage, store: Store) {
    this.#storage = storage;
    this.#store = store;
  }

  /**
   * The pass once it is settled and the read model has that; at the latest, as it is after so many milliseconds. At once where
   * it is so already, or where too many wait. Undefined when there is no such pass.
   */
  async waitUntilSettled(ms: number): Promise<AwaitedPass | undefined> {
    const until = Date.now() + ms;
    await this.#checkAlarm();
    for (;;) {
      // From here to where it waits nothing may come between, or it would sleep through that.
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

  /** Something of the pass has changed. */
  wake(): void {
    for (const wake of this.#waiting) wake(true);
  }

  /** The read model has that version. */
  markPublished(version: number): void {
    if (this.#published === undefined || this.#published < version) this.#published = version;
    this.wake();
  }

  /** The alarm of a settled pass tells whether it is published. Both are written, and read, without an await between them. */
  async #checkAlarm(): Promise<void> {
    const pass = loadPass(this.#storage)?.pass;
    if (pass === undefined || this.#published === pass.version || !isSettled(pass)) return;
    if (isPublishedWith(await this.#storage.getAlarm())) this.#published = pass.version;
  }

  /** Whether the waiter was woken within that time. */
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
   * Who has seen a version must find it in the read model: brings it there, once for all that wait. While the database is away
   * nobody waits for long.
   */
  #publish(pass: Pass): Promise<string> {
    const { version, id } = pass;
    if (this.#publishing?.version === version) return this.#publishing.bookmark;
    const projected = this.#store.publishPass(publicationOf(pass)).then(
      (bookmark) => {
        this.markPublished(version);
        return bookmark;
      },
      (fault) => {
        // Also when nobody waits for it any more: the next one has it tried again.
        logFault('read-model', fault, { pass: id });
        if (this.#publishing?.version === version) this.#publishing = undefined;
        return READ_PRIMARY;
      },
    );
    const bookmark = withTimeout(PUBLISH_TIMEOUT_MS, projected, READ_PRIMARY);
    this.#publishing = { version, bookmark };
    return bookmark;
  }
}

function awaitedPassOf(pass: Pass, bookmark: string, waited = true): AwaitedPass {
  return { publication: publicationOf(pass), bookmark, waited };
}
