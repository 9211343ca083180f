import { waitUntil } from 'cloudflare:workers';
import type { AuditEntry } from '../audit/entry.ts';
import { configOf } from '../config/parse-config.ts';
import { countSettlement, sendCountsNow } from '../counts/counts.ts';
import { pendingAlarm } from '../lib/alarm.ts';
import type { Milliseconds, UnixSeconds } from '../lib/brand.ts';
import { DAY_SECONDS, nowSeconds, SECOND_MS } from '../lib/time.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/queue.ts';
import { secondsAhead } from '../message/sandbox.ts';
import { activeWithinMs, expectedConfirmationMs } from '../network/network.ts';
import { findNetworkFor, isSandbox } from '../network/sandbox.ts';
import { appendExpiryEvents } from '../pass/expiry-events.ts';
import { isSettled } from '../pass/next-step.ts';
import type { Pass } from '../pass/pass.ts';
import { type AwaitedRequest, awaitedRequest, hasEffect, type Settlement } from '../pass/settlement.ts';
import { BULK_ISSUANCE } from '../pass/step-kinds.ts';
import type { Store } from '../store/store.ts';
import { countEndedPass } from './daily-quota.ts';
import { type AlarmRules, nextAlarm } from './next-alarm.ts';
import { withSignerInService } from './pass-signer.ts';
import { addEntry, type EntriesToAppend, firstEntries } from './pending-entries.ts';
import { publicationOf } from './results.ts';
import {
  isPublished,
  isReported,
  loadPass,
  type Published,
  type Reported,
  type StoredPass,
  savePass,
  withKnown,
} from './stored-pass.ts';

/** A stored pass, and its alarm as it was read before. */
export interface OpenedPass {
  /** Undefined: there is no such pass. */
  readonly stored: StoredPass | undefined;
  /** Null: none, or it fires now. */
  readonly alarm: Milliseconds | null;
}

/** The time in which the handler of an alarm that fires has begun, and has set the next alarm. */
const ALARM_START_MS = 2_000;
const REDRIVE_DELAY_MS = 1_000;
const CLOCK_RETRY_MS = 30_000;
const NOTICE_DAYS = 7;
const APPEND_TIMEOUT_MS = 10_000;

/** Keeps the stored pass of an object, its alarm, D1 and the audit trail in step. */
export class PassKeeper {
  readonly #storage: DurableObjectStorage;
  /** Name of the object; undefined: it was called by its id. */
  readonly #name: string | undefined;
  readonly #store: Store;
  readonly #env: () => Env;
  readonly #onChange: () => void;
  /** The newest knowledge about D1 and the audit trail. The stored pass gets it with its next write. */
  #reported: Reported = { version: 0, eventsInFeed: 0, entriesInTrail: 0 };
  #isAppending = false;
  /** How far the clock of the sandbox is ahead of the time, in milliseconds. */
  #ahead: Milliseconds = 0;

  constructor({ storage, id }: DurableObjectState, store: Store, env: () => Env, onChange: () => void) {
    this.#storage = storage;
    this.#name = id.name;
    this.#store = store;
    this.#env = env;
    this.#onChange = onChange;
  }

  /** Returns the stored pass; undefined if there is none. */
  load(): StoredPass | undefined {
    return loadPass(this.#storage, this.#reported);
  }

  /**
   * Reads the alarm, and then the pass. Between here and `save` there must be no `await`, unless nothing else can run meanwhile:
   * another call could change the pass, and `save` would undo its change.
   */
  async open(): Promise<OpenedPass> {
    await this.readClock();
    const alarm = await pendingAlarm(this.#storage);
    return { stored: this.load(), alarm };
  }

  /** Whether the pass belongs to a sandbox. The name of its object begins with its gatekeeper network. */
  get isInSandbox(): boolean {
    return isSandbox(this.#gatekeeperNetwork());
  }

  /** Reads the clock of the sandbox, if the pass belongs to one. */
  async readClock(): Promise<void> {
    this.#ahead = (await secondsAhead(this.#gatekeeperNetwork(), this.#env())) * SECOND_MS;
  }

  /** Returns the time of the pass, as of the last reading of its clock. */
  now(): UnixSeconds {
    return Math.floor((Date.now() + this.#ahead) / SECOND_MS);
  }

  /**
   * Stores the pass and its alarm in one commit. It keeps an alarm that is due at roughly the right time: setting it writes a row.
   * @param entryOf Returns the entry of a change that somebody requested. It is part of the same commit.
   */
  async save(
    pass: Pass,
    { stored: before, alarm }: OpenedPass,
    tries = 0,
    entryOf?: (n: number) => AuditEntry,
  ): Promise<StoredPass> {
    const unsettledSince = isSettled(pass) ? undefined : (before?.unsettledSince ?? nowSeconds());
    const { version, eventsInFeed } = this.#reported;
    const empty = { published: { version, eventsInFeed }, olderEvents: 0 };
    // A request that still waits counts instead of a later one.
    const waiting = before && !isSettled(before.pass) ? before.awaited : undefined;
    const isRequest = entryOf !== undefined && unsettledSince !== undefined && !isSandbox(pass.key.gatekeeperNetwork);
    const awaited = isRequest ? (waiting ?? awaitedRequest(pass, Date.now())) : before?.awaited;
    const audit = entryOf === undefined ? before?.audit : addEntry(this.#storage.kv, before?.audit, entryOf);
    const stored = savePass(
      this.#storage,
      { ...empty, ...before, audit, pass, tries, unsettledSince, awaited },
      before?.pass,
    );
    await this.#setAlarm(stored, alarm);
    this.#onChange();
    const hasEnded =
      before !== undefined && !isSettled(before.pass) && isSettled(pass) && pass.onChain.state === 'NONE';
    // A sandbox has counted each request.
    if (hasEnded && !isSandbox(pass.key.gatekeeperNetwork)) waitUntil(countEndedPass(this.#env().QUOTAS, pass));
    return stored;
  }

  /** Appends the pending entries to the audit trail of the gatekeeper network. Logs a fault, because the alarm tries again. */
  async appendEntries(): Promise<void> {
    if (this.#isAppending) return;
    this.#isAppending = true;
    try {
      for (;;) {
        const stored = this.load();
        const { entries, last } = this.entriesToAppend(stored);
        if (stored === undefined || entries.length === 0) break;
        const trail = this.#env().AUDITS.getByName(stored.pass.key.gatekeeperNetwork);
        await within(APPEND_TIMEOUT_MS, trail.append(entries), 'the audit trail');
        this.noteAppended(last);
      }
    } catch (fault) {
      logFault('audit.unavailable', fault, { pass: this.load()?.pass.id });
    } finally {
      this.#isAppending = false;
    }
    this.#count(await this.#endRetry(false));
  }

  /** Returns the first entries that the trail may lack. */
  entriesToAppend(stored: StoredPass | undefined): EntriesToAppend {
    return firstEntries(this.#storage.kv, stored?.audit);
  }

  /** Remembers that the trail has the entries up to that number. */
  noteAppended(entriesInTrail: number): void {
    const known = this.#reported;
    this.#reported = { ...known, entriesInTrail: Math.max(known.entriesInTrail, entriesInTrail) };
  }

  /**
   * Records what D1 has. A settled pass then needs no retry, unless the operator's list has it.
   * Returns the request whose effect D1 shows now, once.
   */
  async notePublished(published: Published): Promise<Settlement | undefined> {
    this.#know(published);
    return this.#endRetry(false);
  }

  /** Publishes the pass, and returns the bookmark at which a reader sees it. */
  async publish(stored: StoredPass): Promise<string> {
    const publication = publicationOf(stored);
    const bookmark = await this.#store.publishPasses([publication]);
    this.#know(publication);
    return bookmark;
  }

  /** Sets the alarm if it is missing or later than the pass needs. Returns whether it was missing. */
  async restoreAlarm(looksAgain = true): Promise<boolean> {
    const { stored, alarm } = await this.open();
    const next = stored && this.#nextAlarm(stored);
    if (next === undefined || (alarm !== null && alarm <= next.latest)) return false;
    // An alarm that fires at this moment is not missing: its handler sets the next one.
    if (alarm === null && looksAgain) {
      await scheduler.wait(ALARM_START_MS);
      return this.restoreAlarm(false);
    }
    await this.#storage.setAlarm(next.at);
    return alarm === null;
  }

  /** Makes the alarm fire soon, with the shortest delays again, and write everything to D1 again. Undefined: no such pass. */
  async redrive(): Promise<Pass | undefined> {
    this.#reported = { ...this.#reported, version: 0 };
    const stored = this.load();
    if (stored === undefined) return undefined;
    const published = { ...stored.published, version: 0 };
    const listed = stored.listed && { ...stored.listed, isWritten: false };
    const { pass } = savePass(this.#storage, { ...stored, published, listed, tries: 0 }, stored.pass);
    await this.#storage.setAlarm(Date.now() + REDRIVE_DELAY_MS);
    return pass;
  }

  /** Deletes everything that is stored. */
  async erase(): Promise<void> {
    this.#reported = { version: 0, eventsInFeed: 0, entriesInTrail: 0 };
    await Promise.all([this.#storage.deleteAlarm(), this.#storage.deleteAll()]);
  }

  /** Does everything that is due when the alarm of the pass fires. Logs faults, because a later alarm tries again. */
  async fireAlarm(): Promise<void> {
    try {
      await this.readClock();
    } catch (fault) {
      // The platform ends its own retries after some minutes.
      logFault('pass.alarm_failed', fault, { pass: this.load()?.pass.id });
      return this.#storage.setAlarm(Date.now() + CLOCK_RETRY_MS);
    }
    const stored = this.load();
    if (stored === undefined) return;
    const isDone = isSettled(stored.pass);
    const announced = appendExpiryEvents(stored.pass, this.now(), this.#alarmRules(stored.pass).noticeSeconds);
    const isExpiry = announced !== stored.pass;
    if (isDone && !isExpiry && isReported(stored) && stored.listed === undefined) return this.#setAlarm(stored, null);
    // Schedule the next alarm before the work: a crash below must not end the retries. An expiry event is no attempt.
    const attempt = isExpiry ? stored : { ...withListEntry(stored), tries: stored.tries + 1 };
    const saved = await this.save(announced, { stored: attempt, alarm: null }, attempt.tries);
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
    this.#count(await this.#endRetry(true));
  }

  /** Publishes an unsettled pass and puts it on the operator's list, unless an earlier alarm did so. */
  async #publishUnsettled(stored: StoredPass): Promise<void> {
    const { pass, listed } = stored;
    if (listed === undefined || (isPublished(stored) && listed.isWritten)) return;
    if (!isPublished(stored)) await this.publish(stored);
    if (!listed.isWritten) await this.#store.listUnsettled({ ...pass, since: listed.since });
    const now = this.load();
    if (now !== undefined) savePass(this.#storage, { ...now, listed: { ...listed, isWritten: true } }, now.pass);
  }

  #gatekeeperNetwork(): string {
    return this.#name?.split('/')[0] ?? this.load()?.pass.key.gatekeeperNetwork ?? '';
  }

  #know({ version, eventsInFeed }: Published): void {
    const known = this.#reported;
    this.#reported = {
      ...known,
      version: Math.max(known.version, version),
      eventsInFeed: Math.max(known.eventsInFeed, eventsInFeed),
    };
    this.#onChange();
  }

  /**
   * Stores that a settled pass is published with its entries, and that no list has it. Its alarm becomes that of its expiry.
   * Returns the request whose effect D1 shows now, once.
   * @param isUnlisted Whether the pass was taken off the operator's list. If not, a listed pass keeps its retry.
   */
  async #endRetry(isUnlisted: boolean): Promise<Settlement | undefined> {
    const alarm = await pendingAlarm(this.#storage);
    const raw = loadPass(this.#storage);
    if (raw === undefined) return undefined;
    const { awaited, ...stored } = withKnown(this.#storage, raw, this.#reported);
    // It may have another version by now, or further events for the feed.
    if (!isSettled(stored.pass) || !isPublished(stored)) return undefined;
    const settlement = awaited && this.#settlementOf(stored.pass, awaited);
    const isDone = isReported(stored) && (isUnlisted || !stored.listed);
    const settled = isDone ? { ...stored, listed: undefined } : stored;
    if (awaited || (isDone && (raw.listed || !isReported(raw)))) savePass(this.#storage, settled, stored.pass);
    if (isDone) await this.#setAlarm(settled, alarm);
    return settlement;
  }

  #settlementOf(pass: Pass, awaited: AwaitedRequest): Settlement | undefined {
    if (!hasEffect(pass, awaited)) return undefined;
    const ms = Math.max(0, Date.now() - awaited.at);
    const { network, kind } = { ...pass.key, ...awaited };
    return { network, kind, seconds: ms / SECOND_MS, isLate: ms > this.#alarmRules(pass).activeWithinMs };
  }

  #count(settlement: Settlement | undefined): void {
    if (settlement === undefined) return;
    countSettlement(settlement);
    sendCountsNow(this.#env());
  }

  /** Sets the alarm that the pass needs, unless the present one serves as well. */
  async #setAlarm(stored: StoredPass, alarm: Milliseconds | null): Promise<void> {
    const next = this.#nextAlarm(stored);
    if (next === undefined) {
      if (alarm !== null) await this.#storage.deleteAlarm();
    } else if (alarm === null || alarm < next.earliest || alarm > next.latest) {
      await this.#storage.setAlarm(next.at);
    }
  }

  #nextAlarm(stored: StoredPass) {
    const next = nextAlarm(stored, Date.now() + this.#ahead, this.#alarmRules(stored.pass));
    const inTime = (at: Milliseconds) => at - this.#ahead;
    return next && { at: inTime(next.at), earliest: inTime(next.earliest), latest: inTime(next.latest) };
  }

  #alarmRules(pass: Pass): AlarmRules & { readonly activeWithinMs: Milliseconds } {
    try {
      const { networks, expiryNoticeDays } = configOf(this.#env());
      const { gatekeeperNetwork, chain, network: name } = pass.key;
      const network = findNetworkFor(gatekeeperNetwork, networks, chain, name);
      return {
        noticeSeconds: expiryNoticeDays * DAY_SECONDS,
        confirmationMs: network ? expectedConfirmationMs(network) : 0,
        activeWithinMs: network ? activeWithinMs(network) : Number.POSITIVE_INFINITY,
        hasSigner: network !== undefined && withSignerInService(pass, this.#env()) !== undefined,
      };
    } catch {
      // Requests report a broken configuration. The alarm must continue without it.
      return {
        noticeSeconds: NOTICE_DAYS * DAY_SECONDS,
        confirmationMs: 0,
        activeWithinMs: Number.POSITIVE_INFINITY,
        hasSigner: true,
      };
    }
  }
}

/** Returns the pass with the entry that the operator's list may have from now on, if it is unsettled. */
function withListEntry(stored: StoredPass): StoredPass {
  const { pass, listed, unsettledSince: since = nowSeconds() } = stored;
  if (isSettled(pass) || listed?.since === since || isSandbox(pass.key.gatekeeperNetwork)) return stored;
  return { ...stored, listed: { since, isWritten: false } };
}
