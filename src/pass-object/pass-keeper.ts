import { waitUntil } from 'cloudflare:workers';
import type { AuditEntry } from '../audit/entry.ts';
import { pendingAlarm } from '../lib/alarm.ts';
import type { Milliseconds, UnixSeconds } from '../lib/units.ts';
import { nowSeconds, SECOND_MS } from '../lib/units.ts';
import { secondsAhead } from '../message/call-object.ts';
import { rulesFor } from '../network/sandbox.ts';
import { isSettled } from '../pass/next-step.ts';
import type { Pass } from '../pass/pass.ts';
import { awaitedRequest } from '../pass/requests.ts';
import { countEndedPass } from './daily-quota.ts';
import { alarmRulesOf, nextAlarm } from './next-alarm.ts';
import {
  isPublished,
  isReported,
  loadPass,
  mostOf,
  NOTHING_SENT,
  type Sent,
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

/** Keeps the stored pass of an object and its alarm in step, by the clock of the pass. */
export class PassKeeper {
  readonly #storage: DurableObjectStorage;
  /** Name of the object; undefined: it was called by its id. */
  readonly #name: string | undefined;
  readonly #env: () => Env;
  readonly #onChange: () => void;
  /** The newest knowledge about what others have. The stored pass gets it with its next write. */
  #sent = NOTHING_SENT;
  /** How far the clock of the sandbox is ahead of the time, in milliseconds. */
  #ahead: Milliseconds = 0;

  constructor({ storage, id }: DurableObjectState, env: () => Env, onChange: () => void) {
    this.#storage = storage;
    this.#name = id.name;
    this.#env = env;
    this.#onChange = onChange;
  }

  /** Returns the stored pass; undefined if there is none. */
  load(): StoredPass | undefined {
    return loadPass(this.#storage, this.#sent);
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

  /** The rules for the pass. The name of its object begins with its gatekeeper network. */
  get rules() {
    return rulesFor(this.#gatekeeperNetwork());
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
    // A request that still waits counts instead of a later one.
    const waiting = before && !isSettled(before.pass) ? before.awaited : undefined;
    const { isMeasured, countsChanges } = rulesFor(pass.key.gatekeeperNetwork);
    const isRequest = entryOf !== undefined && unsettledSince !== undefined && isMeasured;
    const awaited = isRequest ? (waiting ?? awaitedRequest(pass, Date.now())) : before?.awaited;
    const empty = { sent: this.#sent, olderEvents: 0 };
    const entries = entryOf === undefined ? before?.entries : withEntry(before?.entries, entryOf);
    const next = { ...empty, ...before, entries, pass, tries, unsettledSince, awaited };
    const stored = savePass(this.#storage, next, before?.pass);
    await this.setAlarm(stored, alarm);
    this.#onChange();
    const hasEnded =
      before !== undefined && !isSettled(before.pass) && isSettled(pass) && pass.onChain.state === 'NONE';
    if (hasEnded && !countsChanges) waitUntil(countEndedPass(this.#env().QUOTAS, pass));
    return stored;
  }

  /**
   * Stores a change that keeps the alarm.
   * @param before The pass as it was loaded in this turn.
   */
  update(stored: StoredPass, before = stored.pass): StoredPass {
    return savePass(this.#storage, stored, before);
  }

  /** Remembers what others have. */
  learn(sent: Partial<Sent>): void {
    this.#sent = mostOf(this.#sent, sent);
    if (sent.version !== undefined) this.#onChange();
  }

  /**
   * Stores that a settled pass is published with its entries, and that no list has it. Its alarm becomes that of its expiry.
   * Returns the pass as it was before, once, if the read model shows it and a request waited for that.
   * @param isUnlisted Whether the pass was taken off the operator's list. If not, a listed pass keeps its retry.
   */
  async endRetry(isUnlisted: boolean): Promise<StoredPass | undefined> {
    const alarm = await pendingAlarm(this.#storage);
    const raw = loadPass(this.#storage);
    if (raw === undefined) return undefined;
    const { awaited, ...stored } = withKnown(this.#storage, raw, this.#sent);
    // It may have another version by now, or further events for the feed.
    if (!isSettled(stored.pass) || !isPublished(stored)) return undefined;
    const isDone = isReported(stored) && (isUnlisted || !stored.listed);
    const settled = isDone ? { ...stored, listed: undefined } : stored;
    if (awaited || (isDone && (raw.listed || !isReported(raw)))) this.update(settled);
    if (isDone) await this.setAlarm(settled, alarm);
    return awaited && { ...stored, awaited };
  }

  /** Sets the alarm that the pass needs, unless the present one serves as well. */
  async setAlarm(stored: StoredPass, alarm: Milliseconds | null): Promise<void> {
    const next = this.#nextAlarm(stored);
    if (next === undefined) {
      if (alarm !== null) await this.#storage.deleteAlarm();
    } else if (alarm === null || alarm < next.earliest || alarm > next.latest) {
      await this.#storage.setAlarm(next.at);
    }
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
    this.#sent = { ...this.#sent, version: 0 };
    const stored = this.load();
    if (stored === undefined) return undefined;
    const listed = stored.listed && { ...stored.listed, isWritten: false };
    const { pass } = this.update({ ...stored, sent: { ...stored.sent, version: 0 }, listed, tries: 0 });
    await this.fireIn(REDRIVE_DELAY_MS);
    return pass;
  }

  /** Makes the alarm fire after that time. */
  fireIn(ms: Milliseconds): Promise<void> {
    return this.#storage.setAlarm(Date.now() + ms);
  }

  /** Deletes everything that is stored. */
  async erase(): Promise<void> {
    this.#sent = NOTHING_SENT;
    await Promise.all([this.#storage.deleteAlarm(), this.#storage.deleteAll()]);
  }

  #gatekeeperNetwork(): string {
    return this.#name?.split('/')[0] ?? this.load()?.pass.key.gatekeeperNetwork ?? '';
  }

  #nextAlarm(stored: StoredPass) {
    const next = nextAlarm(stored, Date.now() + this.#ahead, alarmRulesOf(stored.pass, this.#env()));
    const inTime = (at: Milliseconds) => at - this.#ahead;
    return next && { at: inTime(next.at), earliest: inTime(next.earliest), latest: inTime(next.latest) };
  }
}

function withEntry(
  { last, ...entries }: NonNullable<StoredPass['entries']> = { last: 0, pending: [] },
  entryOf: (n: number) => AuditEntry,
) {
  const n = last + 1;
  return { ...entries, last: n, pending: [...entries.pending, { n, entry: entryOf(n) }] };
}
