import { waitUntil } from 'cloudflare:workers';
import type { AuditEntry } from '../audit/entry.ts';
import { pendingAlarm } from '../lib/alarm.ts';
import { nowSeconds } from '../lib/units.ts';
import { rulesFor } from '../network/sandbox.ts';
import { isSettled } from '../pass/next-step.ts';
import type { Pass } from '../pass/pass.ts';
import { awaitedRequest } from '../pass/requests.ts';
import { countEndedPass } from './daily-quota.ts';
import { type OpenedPass, PassClock } from './pass-clock.ts';
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

const REDRIVE_DELAY_MS = 1_000;

/** Keeps the stored pass of an object, and what others have of it, in step with its alarm. */
export class PassKeeper {
  readonly #storage: DurableObjectStorage;
  /** Name of the object; undefined: it was called by its id. */
  readonly #name: string | undefined;
  readonly #env: () => Env;
  readonly #onChange: () => void;
  /** The newest knowledge about what others have. The stored pass gets it with its next write. */
  #sent = NOTHING_SENT;
  readonly clock: PassClock;

  constructor({ storage, id }: DurableObjectState, env: () => Env, onChange: () => void) {
    this.#storage = storage;
    this.#name = id.name;
    this.#env = env;
    this.#onChange = onChange;
    this.clock = new PassClock(storage, env, () => this.#gatekeeperNetwork());
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
    await this.clock.read();
    const alarm = await pendingAlarm(this.#storage);
    return { stored: this.load(), alarm };
  }

  /** The rules for the pass. The name of its object begins with its gatekeeper network. */
  get rules() {
    return rulesFor(this.#gatekeeperNetwork());
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
    await this.clock.setAlarm(stored, alarm);
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
    if (isDone) await this.clock.setAlarm(settled, alarm);
    return awaited && { ...stored, awaited };
  }

  /** Makes the alarm fire soon, with the shortest delays again, and write everything to D1 again. Undefined: no such pass. */
  async redrive(): Promise<Pass | undefined> {
    this.#sent = { ...this.#sent, version: 0 };
    const stored = this.load();
    if (stored === undefined) return undefined;
    const listed = stored.listed && { ...stored.listed, isWritten: false };
    const { pass } = this.update({ ...stored, sent: { ...stored.sent, version: 0 }, listed, tries: 0 });
    await this.clock.fireIn(REDRIVE_DELAY_MS);
    return pass;
  }

  /** Deletes everything that is stored. */
  async erase(): Promise<void> {
    this.#sent = NOTHING_SENT;
    await Promise.all([this.#storage.deleteAlarm(), this.#storage.deleteAll()]);
  }

  #gatekeeperNetwork(): string {
    return this.#name?.split('/')[0] ?? this.load()?.pass.key.gatekeeperNetwork ?? '';
  }
}

function withEntry(
  { last, ...entries }: NonNullable<StoredPass['entries']> = { last: 0, pending: [] },
  entryOf: (n: number) => AuditEntry,
) {
  const n = last + 1;
  return { ...entries, last: n, pending: [...entries.pending, { n, entry: entryOf(n) }] };
}
