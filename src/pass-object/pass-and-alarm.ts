import type { Milliseconds } from '../lib/brand.ts';
import { eventsInFeedOf, raiseEventsInFeed } from '../pass/feed-events.ts';
import { isSettled } from '../pass/next-step.ts';
import type { Pass } from '../pass/pass.ts';
import { alarmDelayMs, expiryNoticeSeconds } from './alarm-delay.ts';
import { expiryAlarmAt, isExpiryAlarm, isPublishedWith, retryAlarmAt } from './alarm-times.ts';
import { loadPass, type StoredPass, savePass } from './pass-store.ts';
import { fillPending } from './pending-events.ts';
import type { Waiters } from './waiters.ts';

/** A stored pass, and its alarm as it was read before. */
export interface OpenedPass {
  /** Undefined: there is no such pass. */
  readonly stored: StoredPass | undefined;
  /** Null: none. Undefined: the alarm fires now, so its time says nothing about the publication. */
  readonly alarm: Milliseconds | null | undefined;
}

/** The stored pass of an object and its alarm, which change together. */
export class PassAndAlarm {
  readonly #storage: DurableObjectStorage;
  readonly #waiters: Waiters;
  readonly #env: () => Env;

  constructor(storage: DurableObjectStorage, waiters: Waiters, env: () => Env) {
    this.#storage = storage;
    this.#waiters = waiters;
    this.#env = env;
  }

  /**
   * Reads the alarm, and then the pass. Between here and `save` there must be no `await`, unless nothing else can run meanwhile:
   * another call could change the pass, and `save` would undo its change.
   */
  async open(): Promise<OpenedPass> {
    const alarm = await this.#storage.getAlarm();
    return { stored: loadPass(this.#storage), alarm };
  }

  /** Returns the stored pass with the first events after those that the feed is known to have; undefined if there is none. */
  async load(): Promise<StoredPass | undefined> {
    const { stored, alarm } = await this.open();
    if (stored === undefined) return undefined;
    const known = raiseEventsInFeed(stored.pass, this.#eventsInFeedOf(stored, alarm));
    return { ...stored, pass: fillPending(this.#storage.kv, known) };
  }

  /** Stores the pass and its alarm in one commit. It keeps an alarm that is due at roughly that time: setting it writes a row. */
  async save(given: Pass, { stored: before, alarm }: OpenedPass, tries = 0): Promise<Pass> {
    const pass = before === undefined ? given : raiseEventsInFeed(given, this.#eventsInFeedOf(before, alarm));
    const since = isSettled(pass) ? undefined : (before?.since ?? Math.floor(Date.now() / 1000));
    const stored = savePass(this.#storage, { ...before, pass, tries, since, older: before?.older ?? 0 });
    const delay = alarmDelayMs(stored, this.#env());
    const retryAt = (ms: Milliseconds) => this.#retryAt(stored.pass, ms);
    const isSoonEnough = alarm != null && alarm >= retryAt(delay / 2) && alarm <= retryAt(2 * delay);
    // The alarm of an unsettled pass must be a retry: an alarm on a whole second would count as published once it settles.
    if (!isSoonEnough || isExpiryAlarm(alarm)) await this.#storage.setAlarm(retryAt(delay));
    this.#waiters.wake();
    return stored.pass;
  }

  /** Sets the alarm for a retry of the stored pass. */
  async retryIn(delay: Milliseconds, pass: Pass): Promise<void> {
    await this.#storage.setAlarm(this.#retryAt(pass, delay));
  }

  /** Sets the alarm if the stored pass lacks one that it needs. Returns whether its retry was missing. */
  async restoreAlarm(stored: StoredPass): Promise<boolean> {
    const alarm = await this.#storage.getAlarm();
    if (!isSettled(stored.pass)) {
      if (alarm === null) await this.retryIn(alarmDelayMs(stored, this.#env()), stored.pass);
      return alarm === null;
    }
    // An earlier release set no alarm for the expiry, and the notice period may be longer now.
    const expiry = expiryAlarmAt(stored.pass, Date.now(), expiryNoticeSeconds(this.#env()));
    if (expiry !== undefined && isPublishedWith(alarm) && expiry < (alarm ?? Infinity))
      await this.#storage.setAlarm(expiry);
    return false;
  }

  #retryAt(pass: Pass, delay: Milliseconds): Milliseconds {
    return retryAlarmAt(pass, Date.now(), delay, expiryNoticeSeconds(this.#env()));
  }

  /** Returns the number of the newest event that the feed is known to have. */
  #eventsInFeedOf({ pass }: StoredPass, alarm: OpenedPass['alarm']): number {
    if (pass.feed === undefined) return 0;
    if (alarm !== undefined && isSettled(pass) && isPublishedWith(alarm)) return pass.feed.last;
    return Math.max(this.#waiters.eventsInFeed, eventsInFeedOf(pass.feed));
  }
}
