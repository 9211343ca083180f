import { DurableObject } from 'cloudflare:workers';
import {
  type Actor,
  type AuditEntry,
  type AuditOutcome,
  type ChainedEntry,
  chainEntry,
  hashOf,
  TRAIL_START,
  type TrailPlace,
} from '../audit/entry.ts';
import { configOf } from '../config/parse-config.ts';
import { pendingAlarm } from '../lib/alarm.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { log, logFault } from '../log/log.ts';
import type { Approval, ApprovalRefusal, BegunEntry, WeighedAction } from './begun-actions.ts';
import * as actions from './begun-actions.ts';

/** The facts of a trail that are no entries. */
interface TrailState {
  /** The place before the oldest entry that is left. */
  readonly start: TrailPlace;
  /** The newest entry that the log has, and the time of that line. */
  readonly logged: number;
  readonly loggedAt: Milliseconds;
}

const STATE = 'trail';
const NEW_TRAIL: TrailState = { start: TRAIL_START, logged: 0, loggedAt: 0 };

/** Maximum duration of an action. Then its end counts as lost: its entry gets an unknown outcome, which a later end does not change. */
const ACTION_MAX_MS = 15 * MINUTE_MS;
/** Maximum number of entries that one alarm deletes. */
const DELETE_MAX_ENTRIES = 1_000;
/** `setAlarm` refuses times far away. An alarm with nothing to do is set again. */
const ALARM_MAX_MS = 100 * DAY_MS;

/**
 * An audit trail: of a gatekeeper network, or of the operator. It is the only writer of its entries, so each has the hash of the one
 * before it. Entries never change. The oldest ones are deleted after `AUDIT_DAYS`.
 */
export class AuditObject extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql;
  readonly #kv = this.ctx.storage.kv;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql.exec(`
      CREATE TABLE IF NOT EXISTS audit_entry (
        sequence INTEGER PRIMARY KEY, key TEXT NOT NULL, text TEXT NOT NULL, hash TEXT NOT NULL, appended_ms INTEGER NOT NULL);
      CREATE UNIQUE INDEX IF NOT EXISTS audit_entry_key ON audit_entry (key);
      ${actions.ACTION_TABLES}`);
  }

  /** Appends the entries that the trail lacks, in their order. Safe to repeat. */
  async append(entries: readonly AuditEntry[]): Promise<void> {
    const alarm = await pendingAlarm(this.ctx.storage);
    this.ctx.storage.transactionSync(() => this.#append(entries));
    await this.#wakeBy(this.#nextLogAt(), alarm);
  }

  /** Stores an action before it happens. It becomes an entry when it ends, or with an unknown outcome if its end is lost. */
  async begin(entry: BegunEntry): Promise<void> {
    const alarm = await pendingAlarm(this.ctx.storage);
    const until = Date.now() + ACTION_MAX_MS;
    actions.beginAction(this.#sql, entry, until);
    await this.#wakeBy(until, alarm);
  }

  /** Ends a begun action. Undefined: it was refused and has changed nothing, so it leaves no entry. */
  async conclude(key: string, end: Pick<AuditEntry, 'before' | 'after' | 'outcome'> | undefined): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      const begun = actions.endAction(this.#sql, key);
      if (begun !== undefined && end !== undefined) this.#append([{ ...begun, ...end }]);
    });
  }

  /** Lets a begun action happen, or makes it wait for a second person. */
  async weigh(key: string, action: WeighedAction): Promise<Approval | 'too-many' | undefined> {
    return this.#atOnce((now) => actions.weighAction(this.#sql, key, action, now, (entry) => this.#append([entry])));
  }

  /** Returns the approvals that wait or are confirmed, the oldest first. */
  async listApprovals(): Promise<Approval[]> {
    return actions.listApprovals(this.#sql, Date.now());
  }

  /** Confirms or rejects an approval for a person other than the one who asked. */
  async decideApproval(id: string, by: Actor, isConfirmed: boolean): Promise<Approval | ApprovalRefusal> {
    return this.#atOnce((now) => actions.decideApproval(this.#sql, id, by, isConfirmed, now));
  }

  /** Returns the confirmed approval of exactly that begun action, or why there is none. */
  async findConfirmed(key: string, id: string, input: string): Promise<Approval | ApprovalRefusal> {
    return actions.findConfirmed(this.#sql, key, id, input, Date.now());
  }

  /** Takes the items that are done from an approval. Without any left, it ends. */
  async spendApproval(id: string, count: number, hasMore: boolean): Promise<void> {
    this.#atOnce((now) => actions.spendApproval(this.#sql, id, count, hasMore, now));
  }

  /** Returns a page of the entries that match. */
  async read(query: TrailQuery): Promise<TrailPage> {
    const ends = { head: this.#head(), start: this.#state().start };
    return { ...findEntries(this.#sql, query, ends), ...ends };
  }

  /** Does what is due. After a fault it tries again later: the platform gives an alarm up that fails several times. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    const next = await this.#doDue(now).catch((fault) => {
      logFault('audit.unavailable', fault, { trail: this.ctx.id.name });
      return now + HOUR_MS;
    });
    if (next !== undefined) await this.ctx.storage.setAlarm(next);
  }

  /** Ends lost actions, deletes old entries, and logs the head. Returns when to do so again. */
  async #doDue(now: Milliseconds): Promise<Milliseconds | undefined> {
    const outcome: AuditOutcome = { type: 'unknown' };
    for (const key of actions.findLostActions(this.#sql, now)) await this.conclude(key, { outcome });
    this.#atOnce(() => actions.expireApprovals(this.#sql, now, (entry) => this.#append([entry])));
    const hasMore = this.#deleteBefore(now - this.#keptMs());
    this.#logHead(now);
    return hasMore ? now + SECOND_MS : this.#nextAlarm(now);
  }

  #atOnce<T>(run: (now: Milliseconds) => T): T {
    return this.ctx.storage.transactionSync(() => run(Date.now()));
  }

  #append(entries: readonly AuditEntry[]): void {
    let place = this.#head();
    // Times never decrease from entry to entry, also if the clock does.
    const at = Math.max(Date.now(), this.#appendedAt('DESC') ?? 0);
    const isNew = (entry: AuditEntry) => {
      const { sequence, text, hash } = chainEntry(place, entry);
      const insert =
        'INSERT INTO audit_entry (sequence, key, text, hash, appended_ms) VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING';
      if (this.#sql.exec(insert, sequence, entry.key, text, hash, at).rowsWritten === 0) return false;
      place = { sequence, hash };
      return true;
    };
    for (const entry of entries) if (!isNew(entry) && this.#differs(entry)) isNew(withOwnKey(entry));
  }

  /** Whether the entry with that key is another one. Two requests may report the same sign-in. */
  #differs(entry: AuditEntry): boolean {
    const query = 'SELECT text FROM audit_entry WHERE key = ?';
    const { text } = this.#sql.exec<{ text: string }>(query, entry.key).one();
    return entry.action !== 'console.sign_in' && !text.endsWith(JSON.stringify(entry).slice(1));
  }

  /**
   * Deletes the oldest entries up to a time, at most once a day, and leaves an entry that says so. The hash of the last deleted one stays, so that the
   * rest still proves its order. Returns whether there are more.
   */
  #deleteBefore(time: Milliseconds): boolean {
    return this.ctx.storage.transactionSync(() => {
      // Otherwise each entry would leave an entry of its deletion, and each of these another one.
      if ((this.#appendedAt('ASC') ?? time) > time - DAY_MS) return false;
      const oldest = `SELECT sequence, hash, appended_ms FROM audit_entry ORDER BY sequence LIMIT ${DELETE_MAX_ENTRIES}`;
      const old = this.#sql
        .exec<{ sequence: number; hash: string }>(`SELECT sequence, hash FROM (${oldest}) WHERE appended_ms < ?`, time)
        .toArray();
      const last = old.at(-1);
      if (last === undefined) return false;
      const { start } = this.#state();
      // Before the deletion, because the entry follows the newest one, which may be deleted.
      this.#append([
        {
          key: `deleted/${last.sequence}`,
          at: new Date().toISOString(),
          action: 'audit.delete',
          actor: { client: 'gatepass' },
          target: { after: start.sequence, upTo: last.sequence, hash: last.hash },
          outcome: { type: 'done', counts: { entries: old.length } },
        },
      ]);
      this.#sql.exec('DELETE FROM audit_entry WHERE sequence <= ?', last.sequence);
      this.#save({ start: { sequence: last.sequence, hash: last.hash } });
      return old.length === DELETE_MAX_ENTRIES;
    });
  }

  /** Writes the newest entry to the log at most once a day, so that a copy outside proves the end of the trail. */
  #logHead(now: Milliseconds): void {
    const { sequence, hash } = this.#head();
    if (sequence === this.#state().logged || now < this.#nextLogAt()) return;
    log('audit.head', { trail: this.ctx.id.name, sequence, hash });
    this.#save({ logged: sequence, loggedAt: now });
  }

  /** A new trail logs its first head after a day too. */
  #nextLogAt(): Milliseconds {
    return (this.#state().loggedAt || (this.#appendedAt('ASC') ?? Date.now())) + DAY_MS;
  }

  #nextAlarm(now: Milliseconds): Milliseconds | undefined {
    const oldest = this.#appendedAt('ASC');
    const isLogged = this.#head().sequence === this.#state().logged;
    const times = [
      actions.nextActionAt(this.#sql),
      isLogged ? undefined : this.#nextLogAt(),
      oldest && Math.min(oldest + this.#keptMs() + DAY_MS, now + ALARM_MAX_MS),
    ].filter((time) => typeof time === 'number');
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Requests report a broken configuration. Meanwhile, nothing is deleted, and the other work continues. */
  #keptMs(): Milliseconds {
    try {
      return configOf(this.env).auditDays * DAY_MS;
    } catch {
      return Number.MAX_SAFE_INTEGER;
    }
  }

  async #wakeBy(time: Milliseconds, alarm: Milliseconds | null): Promise<void> {
    if (alarm === null || alarm > time) await this.ctx.storage.setAlarm(time);
  }

  #state(): TrailState {
    return this.#kv.get<TrailState>(STATE) ?? NEW_TRAIL;
  }

  #save(changed: Partial<TrailState>): void {
    this.#kv.put(STATE, { ...this.#state(), ...changed });
  }

  #head(): TrailPlace {
    const query = 'SELECT sequence, hash FROM audit_entry ORDER BY sequence DESC LIMIT 1';
    return this.#sql.exec<{ sequence: number; hash: string }>(query).toArray()[0] ?? TRAIL_START;
  }

  #appendedAt(order: 'ASC' | 'DESC'): Milliseconds | undefined {
    const query = `SELECT appended_ms AS at FROM audit_entry ORDER BY sequence ${order} LIMIT 1`;
    return this.#sql.exec<{ at: number }>(query).toArray()[0]?.at;
  }
}

/** A pass that was restored to an earlier time gives other changes the numbers that the trail has already. Safe to repeat. */
const withOwnKey = (entry: AuditEntry): AuditEntry => ({
  ...entry,
  key: `${entry.key}/${hashOf(JSON.stringify(entry)).slice(0, 16)}`,
});

/** The entries to read. An undefined field matches all. */
interface TrailQuery {
  /** The sequence to continue from: the `next` of the page before. */
  readonly after?: number | undefined;
  readonly limit: number;
  /** Undefined: oldest first. */
  readonly newestFirst?: boolean | undefined;
  /** Id of a pass. */
  readonly pass?: string | undefined;
  readonly client?: string | undefined;
  readonly action?: string | undefined;
  /** The first millisecond of the changes, and the last one. */
  readonly from?: Milliseconds | undefined;
  readonly to?: Milliseconds | undefined;
}

/** A page of a trail. */
export interface TrailPage {
  readonly entries: readonly ChainedEntry[];
  /** The last sequence that was read, whether its entry matches or not. */
  readonly next: number;
  /** Whether there may be further entries. A page may have none, and still be followed by others. */
  readonly more: boolean;
  /** The place after the newest entry. */
  readonly head: TrailPlace;
  /** The place before the oldest entry that is left. */
  readonly start: TrailPlace;
}

/** Maximum number of entries that a page reads to find those that match. */
const SCAN_MAX_ENTRIES = 2_000;
/** The clocks of two objects differ by less. */
const CLOCK_SKEW_MS = 5 * MINUTE_MS;

type Row = Pick<TrailPlace & ChainedEntry, 'sequence' | 'text' | 'hash'>;
type Ends = Pick<TrailPage, 'start' | 'head'>;

/** Returns the entries that match, in their order. */
function findEntries(sql: SqlStorage, query: TrailQuery, ends: Ends): Omit<TrailPage, keyof Ends> {
  const { after, limit } = query;
  const entries: ChainedEntry[] = [];
  let next = after ?? 0;
  let read = 0;
  for (const { sequence, ...entry } of rowsOf(sql, query, ends)) {
    if (entries.length === limit || read === SCAN_MAX_ENTRIES) return { entries, next, more: true };
    next = sequence;
    read += 1;
    if (matches(JSON.parse(entry.text) as AuditEntry, query)) entries.push(entry);
  }
  return { entries, next, more: false };
}

/** The keys of a pass's entries begin with its id, so that an index finds them. Reads one row more than a page. */
function rowsOf(sql: SqlStorage, { after, newestFirst, pass, from }: TrailQuery, ends: Ends): SqlStorageCursor<Row> {
  const first = from === undefined ? 0 : firstSince(sql, from - CLOCK_SKEW_MS, ends);
  const above = newestFirst ? first - 1 : Math.max(first - 1, after ?? 0);
  const below = newestFirst ? (after ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER;
  const of = pass === undefined ? '' : 'INDEXED BY audit_entry_key';
  const keys = pass === undefined ? '' : 'AND key >= ? AND key < ?';
  // "0" is the character after "/".
  const bounds = pass === undefined ? [] : [`${pass}/`, `${pass}0`];
  const order = newestFirst ? 'DESC' : 'ASC';
  return sql.exec<Row>(
    `SELECT sequence, text, hash FROM audit_entry ${of} WHERE sequence > ? AND sequence < ? ${keys}
     ORDER BY sequence ${order} LIMIT ${SCAN_MAX_ENTRIES + 1}`,
    above,
    below,
    ...bounds,
  );
}

function matches({ at, actor, action }: AuditEntry, query: TrailQuery): boolean {
  const time = Date.parse(at);
  return (
    (query.client === undefined || actor.client === query.client) &&
    (query.action === undefined || action === query.action) &&
    (query.from === undefined || time >= query.from) &&
    (query.to === undefined || time <= query.to)
  );
}

/** Returns the sequence of the first entry that was appended since then. An entry is appended after its change, perhaps much later. */
function firstSince(sql: SqlStorage, time: Milliseconds, { start, head }: Ends): number {
  let low = start.sequence + 1;
  let high = head.sequence + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [{ at } = { at: 0 }] = sql.exec<{ at: number }>(APPENDED_AT, middle).toArray();
    if (at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

const APPENDED_AT = 'SELECT appended_ms AS at FROM audit_entry WHERE sequence = ?';
