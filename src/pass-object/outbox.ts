import { countSettlement, sendCountsNow } from '../counts/counts.ts';
import { nowSeconds, SECOND_MS } from '../lib/units.ts';
import { within, withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/queue.ts';
import { rulesFor } from '../network/sandbox.ts';
import { appendExpiryEvents } from '../pass/events.ts';
import { isSettled } from '../pass/next-step.ts';
import type { Pass } from '../pass/pass.ts';
import { hasEffect, type Settlement } from '../pass/requests.ts';
import { BULK_ISSUANCE } from '../pass/step-kinds.ts';
import { READ_PRIMARY } from '../store/bookmarked-reads.ts';
import type { Store } from '../store/store.ts';
import { alarmRulesOf } from './pass-clock.ts';
import type { PassKeeper } from './pass-keeper.ts';
import { type AwaitedPass, entriesToAppend, publicationOf } from './results.ts';
import { isPublished, isReported, type Sent, type StoredPass } from './stored-pass.ts';

const APPEND_TIMEOUT_MS = 10_000;
const CLOCK_RETRY_MS = 30_000;
/** How long a request waits for the publication of the pass. */
const PUBLISH_TIMEOUT_MS = 2_000;

/**
 * Brings to others what they may lack of a pass, as far as nobody else does: its row and its feed events to D1, its entries to the audit
 * trail, the time of its request to the metrics, and the pass to the operator's list while it is unsettled.
 */
export class Outbox {
  readonly #keeper: PassKeeper;
  readonly #store: Store;
  readonly #env: () => Env;
  #isAppending = false;
  /** The pass and version that the object has published, or is publishing, for requests, and the resulting bookmark. */
  #publishing: { readonly of: string; readonly bookmark: Promise<string> } | undefined;
  /** Whether the object is publishing them. */
  #isPublishing = false;

  constructor(keeper: PassKeeper, store: Store, env: () => Env) {
    this.#keeper = keeper;
    this.#store = store;
    this.#env = env;
  }

  /** Publishes the pass, and returns the bookmark at which a reader sees it. */
  async publish(stored: StoredPass): Promise<string> {
    const publication = publicationOf(stored);
    const bookmark = await this.#store.publishPasses([publication]);
    const { version, eventsInFeed } = publication;
    this.#keeper.learn({ version, eventsInFeed });
    return bookmark;
  }

  /** Deletes the settled pass of a sandbox, with its row. Returns whether nothing is left: the alarm first publishes what D1 or the trail lacks. */
  async erase(stored: StoredPass): Promise<boolean> {
    const { key, id } = stored.pass;
    if (!isReported(stored)) return false;
    try {
      await this.#store.erasePass({ key, id });
    } catch (fault) {
      logFault('pass.publish_failed', fault, { pass: id });
      return false;
    }
    await this.#keeper.erase();
    return true;
  }

  /** Returns the pass, and writes the row that the read model lacks; undefined if there is no such pass. */
  async repairRow(): Promise<AwaitedPass | undefined> {
    const stored = this.#keeper.load();
    if (stored === undefined) return undefined;
    // The row that was published once may be lost.
    if (!this.#isPublishing) this.#publishing = undefined;
    return { publication: publicationOf(stored), bookmark: await this.publishInTime(stored), waited: false };
  }

  /**
   * Publishes a version before a request returns it, once for all requests: a partner must find the returned version in the read
   * model. Returns after a timeout if the database does not answer.
   */
  publishInTime(stored: StoredPass): Promise<string> {
    const { version, id } = stored.pass;
    // A sandbox may erase the pass, and the wallet gets another one with the same versions.
    const of = `${id} ${version}`;
    if (this.#publishing?.of === of) return this.#publishing.bookmark;
    this.#isPublishing = true;
    const published = this.publish(stored)
      .catch((fault) => {
        // Reset this even if no request waits any longer: the next one then tries again.
        logFault('pass.publish_failed', fault, { pass: id });
        if (this.#publishing?.of === of) this.#publishing = undefined;
        return READ_PRIMARY;
      })
      .finally(() => {
        if (this.#publishing === undefined || this.#publishing.of === of) this.#isPublishing = false;
      });
    const bookmark = withTimeout(PUBLISH_TIMEOUT_MS, published, READ_PRIMARY);
    this.#publishing = { of, bookmark };
    return bookmark;
  }

  /** Appends the pending entries to the audit trail of the gatekeeper network. Logs a fault, because the alarm tries again. */
  async appendEntries(): Promise<void> {
    if (this.#isAppending) return;
    this.#isAppending = true;
    try {
      for (;;) {
        const stored = this.#keeper.load();
        const { entries = [], last = 0 } = stored === undefined ? {} : entriesToAppend(stored);
        if (stored === undefined || entries.length === 0) break;
        const trail = this.#env().AUDITS.getByName(stored.pass.key.gatekeeperNetwork);
        await within(APPEND_TIMEOUT_MS, trail.append(entries), 'the audit trail');
        this.#keeper.learn({ entriesInTrail: last });
      }
    } catch (fault) {
      logFault('audit.unavailable', fault, { pass: this.#keeper.load()?.pass.id });
    } finally {
      this.#isAppending = false;
    }
    await this.#endRetry(false);
  }

  /**
   * Records what others have. A settled pass then needs no retry, unless the operator's list has it.
   * Returns the request whose effect D1 shows now, once.
   */
  async noteSent(sent: Partial<Sent>): Promise<Settlement | undefined> {
    this.#keeper.learn(sent);
    return this.#settlementOf(await this.#keeper.endRetry(false));
  }

  /** Does everything that is due when the alarm of the pass fires. Logs faults, because a later alarm tries again. */
  async fireAlarm(): Promise<void> {
    const keeper = this.#keeper;
    try {
      await keeper.clock.read();
    } catch (fault) {
      // The platform ends its own retries after some minutes.
      logFault('pass.alarm_failed', fault, { pass: keeper.load()?.pass.id });
      return keeper.clock.fireIn(CLOCK_RETRY_MS);
    }
    const stored = keeper.load();
    if (stored === undefined) return;
    const isDone = isSettled(stored.pass);
    const { noticeSeconds } = alarmRulesOf(stored.pass, this.#env());
    const announced = appendExpiryEvents(stored.pass, keeper.clock.now(), noticeSeconds);
    const isExpiry = announced !== stored.pass;
    if (isDone && !isExpiry && isReported(stored) && stored.listed === undefined)
      return keeper.clock.setAlarm(stored, null);
    // Schedule the next alarm before the work: a crash below must not end the retries. An expiry event is no attempt.
    const attempt = isExpiry ? stored : { ...withListEntry(stored), tries: stored.tries + 1 };
    const saved = await keeper.save(announced, { stored: attempt, alarm: null }, attempt.tries);
    const works = await Promise.allSettled([
      this.appendEntries(),
      isDone && !isExpiry ? undefined : this.#sendMessage(saved.pass),
      // The queue publishes many expiry events in one batch.
      isExpiry ? undefined : isDone ? this.#publishSettled(saved) : this.#publishUnsettled(saved),
    ]);
    for (const work of works)
      if (work.status === 'rejected') logFault('pass.alarm_failed', work.reason, { pass: saved.pass.id });
  }

  /** A retry of a bulk issuance must not be before the pass of a waiting user either. */
  #sendMessage({ key, issuanceRank }: Pass): Promise<void> {
    const { PASS_QUEUE, BULK_PASS_QUEUE } = this.#env();
    return sendProcessPasses(issuanceRank === BULK_ISSUANCE ? BULK_PASS_QUEUE : PASS_QUEUE, [{ pass: key }]);
  }

  /** Publishes a settled pass, takes it off the operator's list, and ends its retry. */
  async #publishSettled(stored: StoredPass): Promise<void> {
    // The alarm may only be there for the entries.
    if (!isPublished(stored) || stored.listed) await this.publish(stored);
    if (stored.listed) await this.#store.unlistUnsettled(stored.pass);
    await this.#endRetry(true);
  }

  /** Publishes an unsettled pass and puts it on the operator's list, unless an earlier alarm did so. */
  async #publishUnsettled(stored: StoredPass): Promise<void> {
    const { pass, listed } = stored;
    if (listed === undefined || (isPublished(stored) && listed.isWritten)) return;
    if (!isPublished(stored)) await this.publish(stored);
    if (!listed.isWritten) await this.#store.listUnsettled({ ...pass, since: listed.since });
    const now = this.#keeper.load();
    if (now !== undefined) this.#keeper.update({ ...now, listed: { ...listed, isWritten: true } });
  }

  async #endRetry(isUnlisted: boolean): Promise<void> {
    const settlement = this.#settlementOf(await this.#keeper.endRetry(isUnlisted));
    if (settlement === undefined) return;
    countSettlement(settlement);
    sendCountsNow(this.#env());
  }

  #settlementOf({ pass, awaited }: Partial<StoredPass> = {}): Settlement | undefined {
    if (pass === undefined || awaited === undefined || !hasEffect(pass, awaited)) return undefined;
    const ms = Math.max(0, Date.now() - awaited.at);
    const { activeWithinMs } = alarmRulesOf(pass, this.#env());
    return { network: pass.key.network, kind: awaited.kind, seconds: ms / SECOND_MS, isLate: ms > activeWithinMs };
  }
}

/** Returns the pass with the entry that the operator's list may have from now on, if it is unsettled. */
function withListEntry(stored: StoredPass): StoredPass {
  const { pass, listed, unsettledSince: since = nowSeconds() } = stored;
  if (isSettled(pass) || listed?.since === since || !rulesFor(pass.key.gatekeeperNetwork).isMeasured) return stored;
  return { ...stored, listed: { since, isWritten: false } };
}

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
