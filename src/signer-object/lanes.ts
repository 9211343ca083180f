import { backoff, DAY_MS, HOUR_MS, type Milliseconds } from '../lib/units.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import { RANKS, type Rank, RESERVE_RANKS } from '../pass/step-kinds.ts';
import { firstReason, type Reason, reasonRow, type WaitCode, type WaitEnd } from '../pass/wait-reasons.ts';

/** The lanes of a signer: how many steps wait in each, whose turn it is, and why lanes and the signer wait. */

/** The waiting part: the whole signer, or a lane, which holds the steps of one gatekeeper network. */
export type Scope = GatekeeperNetwork | typeof SIGNER;

/** The scope of reasons that concern the whole signer. */
export const SIGNER = '' as const;

/** Maximum number of waiting steps of a rank in one lane. Beyond it, the passes wait in their own alarms. */
export const RANK_MAX_STEPS: Readonly<Record<Rank, number>> = { 0: 10_000, 1: 10_000, 2: 200_000 };

type Count = () => readonly { lane: GatekeeperNetwork; rank: Rank; n: number }[];

interface Lane {
  /** Number of waiting steps by rank. */
  readonly waiting: Record<Rank, number>;
  /** Number of steps taken from the lane since it was last empty. */
  turns: number;
}

/**
 * Counts the waiting steps of each lane by rank, and knows whose turn is next. The counts are in memory, because counting
 * rows reads each row. They are read from the table once, and every change of a waiting step adjusts them, after its row.
 */
export class Lanes {
  readonly #count: Count;
  #lanes: Map<GatekeeperNetwork, Lane> | undefined;
  #lastServed = '';

  /** @param count Returns the number of waiting steps by lane and rank, as stored. */
  constructor(count: Count) {
    this.#count = count;
  }

  /** Returns the gatekeeper networks that have waiting steps, starting after the one that was served last. */
  inTurn(): GatekeeperNetwork[] {
    const all = [...this.#read().keys()].toSorted();
    const start = all.findIndex((lane) => lane > this.#lastServed);
    return start < 0 ? all : [...all.slice(start), ...all.slice(0, start)];
  }

  /** Returns the ranks that have waiting steps in the lane, the highest (0) first. */
  waitingRanks(lane: GatekeeperNetwork): Rank[] {
    return RANKS.filter((rank) => this.countOf(lane, rank) > 0);
  }

  countOf(lane: GatekeeperNetwork, rank: Rank): number {
    return this.#read().get(lane)?.waiting[rank] ?? 0;
  }

  /** Returns the number of waiting steps of all ranks. */
  countAll(lane: GatekeeperNetwork): number {
    return RANKS.reduce((sum: number, rank) => sum + this.countOf(lane, rank), 0);
  }

  /** Whether steps of the ranks that may use the reserve wait in these lanes. */
  mayUseReserve(lanes: readonly GatekeeperNetwork[] = this.inTurn()): boolean {
    return lanes.some((lane) => RESERVE_RANKS.some((rank) => this.countOf(lane, rank) > 0));
  }

  hasRoom(lane: GatekeeperNetwork, rank: Rank): boolean {
    return this.countOf(lane, rank) < RANK_MAX_STEPS[rank];
  }

  turnsOf(lane: GatekeeperNetwork): number {
    return this.#read().get(lane)?.turns ?? 0;
  }

  countTurn(lane: GatekeeperNetwork): void {
    const served = this.#read().get(lane);
    if (served !== undefined) served.turns += 1;
    this.#lastServed = lane;
  }

  /** Counts a change that the rows have already. Counts that nobody has read yet will be read from those rows. */
  add(lane: GatekeeperNetwork, rank: Rank, steps = 1): void {
    const lanes = this.#lanes;
    if (lanes === undefined) return;
    const { waiting, turns } = lanes.get(lane) ?? { waiting: { 0: 0, 1: 0, 2: 0 }, turns: 0 };
    waiting[rank] += steps;
    if (RANKS.some((each) => waiting[each] > 0)) lanes.set(lane, { waiting, turns });
    else lanes.delete(lane);
  }

  /** Drops the counts: the next call reads them from the table. Needed when they may differ from it, as after a rollback. */
  reload(): void {
    this.#lanes = undefined;
  }

  #read(): Map<GatekeeperNetwork, Lane> {
    if (this.#lanes === undefined) {
      this.#lanes = new Map();
      for (const { lane, rank, n } of this.#count()) this.add(lane, rank, n);
    }
    return this.#lanes;
  }
}

export interface Wait extends Reason {
  /** When the next try is. The reason stays until an event ends it. */
  readonly until: Milliseconds;
  /** How often in a row. */
  readonly tries: number;
}

/** A restart may bring other ceilings, so these reasons are in memory only. */
const isStored = (code: WaitCode) => reasonRow(code).ends !== 'affordable';

interface Row extends Record<string, SqlStorageValue> {
  scope: Scope;
  reason: WaitCode;
  detail: string | null;
  until: number;
  tries: number;
}

/**
 * Why lanes and the signer wait. Only this class changes the table `wait`. The reasons of single steps are in their own rows.
 * All rows are also in memory, because there are few. After a rollback, `commit` has them read again.
 */
export class Waits {
  readonly #sql: SqlStorage;
  #memory: Map<Scope, Map<WaitCode, Wait>> | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Reads the reasons from the table again. */
  reload(): void {
    this.#memory = undefined;
  }

  /**
   * Lets the scope wait for that reason, longer each time in a row.
   * @param atMost The latest time of the next try.
   */
  begin(scope: Scope, { code, detail }: Reason, now: Milliseconds, atMost = Number.POSITIVE_INFINITY): Wait {
    const { from, to } = reasonRow(code);
    const tries = this.#find(scope, code)?.tries ?? 0;
    const until = Math.min(atMost, now + backoff(from, tries, to));
    return this.#put(scope, { code, detail, until, tries: tries + 1 });
  }

  /** Ends the reasons of the scope that the event ends. */
  end(scope: Scope, event: WaitEnd): void {
    for (const { code } of this.of(scope)) if (reasonRow(code).ends === event) this.#remove(scope, code);
  }

  /** Ends a reason if its next try is due. */
  removeIfDue(scope: Scope, code: WaitCode, now: Milliseconds): void {
    const wait = this.#find(scope, code);
    if (wait !== undefined && wait.until <= now) this.#remove(scope, code);
  }

  #remove(scope: Scope, code: WaitCode): void {
    if (isStored(code)) this.#sql.exec('DELETE FROM wait WHERE scope = ? AND reason = ?', scope, code);
    this.#read().get(scope)?.delete(code);
  }

  /** Makes the scope try again now. The number of tries stays: if the cause remains, the next wait must not be shorter. */
  retryNow(scope: Scope): void {
    for (const wait of this.of(scope)) this.#put(scope, { ...wait, until: 0 });
  }

  /** Returns the reasons of the scope, also those whose next try is due. */
  of(scope: Scope): Wait[] {
    return [...(this.#read().get(scope)?.values() ?? [])];
  }

  /** Returns the reasons for which the scope waits at `now`. */
  active(scope: Scope, now: Milliseconds): Wait[] {
    return this.of(scope).filter(({ until }) => now < until);
  }

  /** Returns the reason for which all steps of the scope wait at `now`; undefined if some may be tried. */
  blocking(scope: Scope, now: Milliseconds): Wait | undefined {
    return firstReason(this.active(scope, now).filter(({ code }) => !reasonRow(code).sparesReserve));
  }

  /**
   * Returns the reason to show. Between two tries a reason is briefly over, and it is still shown if steps wait for it.
   * @param isAwaited Whether steps of the scope wait.
   */
  shown(scope: Scope, now: Milliseconds, isAwaited: boolean): Wait | undefined {
    return firstReason(isAwaited ? this.of(scope) : this.active(scope, now));
  }

  /** Returns the lanes that have a reason. */
  lanes(): GatekeeperNetwork[] {
    const scopes = [...this.#read()].filter(([, waits]) => waits.size > 0).map(([scope]) => scope);
    return scopes.filter((scope): scope is GatekeeperNetwork => scope !== SIGNER);
  }

  #find(scope: Scope, code: WaitCode): Wait | undefined {
    return this.#read().get(scope)?.get(code);
  }

  #put(scope: Scope, wait: Wait): Wait {
    const { code, detail = null, until, tries } = wait;
    const query = `INSERT INTO wait (scope, reason, detail, until, tries) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT DO UPDATE SET detail = ?3, until = ?4, tries = ?5`;
    if (isStored(code)) this.#sql.exec(query, scope, code, detail, until, tries);
    const waits = this.#read().get(scope) ?? new Map<WaitCode, Wait>();
    this.#read().set(scope, waits.set(code, wait));
    return wait;
  }

  #read(): Map<Scope, Map<WaitCode, Wait>> {
    if (this.#memory === undefined) {
      this.#memory = new Map();
      for (const { scope, reason: code, detail, ...times } of this.#sql.exec<Row>('SELECT * FROM wait')) {
        const waits = this.#memory.get(scope) ?? new Map<WaitCode, Wait>();
        this.#memory.set(scope, waits.set(code, { code, detail: detail ?? undefined, ...times }));
      }
    }
    return this.#memory;
  }
}

/** When this signer first and last received a contract error that the service does not know, and which may mean anything. */
interface Meetings {
  readonly since: Milliseconds;
  readonly last: Milliseconds;
}

const UNKNOWN_ERRORS = 'unknownErrors';
const REMEMBERED_MAX = 20;
/** An error that did not occur for this time counts as new. */
const FORGET_MS = DAY_MS;
/** `last` is written at most this often: each write is a row. */
const WRITE_EVERY_MS = HOUR_MS;
/** An error that occurred this often, over this time, counts as lasting: the operator sees how often and since when. */
const LASTING_TRIES = 10;
const LASTING_MS = HOUR_MS;

/** Records these errors, and returns those that are new to the signer: the caller logs only these. */
export function recordUnknownErrors<R extends Reason>(
  { kv }: DurableObjectStorage,
  reasons: readonly R[],
  now: Milliseconds,
): R[] {
  // Of equal errors, the first one counts.
  const errors = new Map(reasons.toReversed().map((reason) => [nameOf(reason), reason]));
  if (errors.size === 0) return [];
  const known = kv.get<Map<string, Meetings>>(UNKNOWN_ERRORS) ?? new Map<string, Meetings>();
  const age = (error: string) => now - (known.get(error)?.last ?? 0);
  const fresh = [...errors.keys()].filter((error) => age(error) >= FORGET_MS);
  const due = [...errors.keys()].filter((error) => age(error) >= WRITE_EVERY_MS);
  for (const error of due) {
    const since = fresh.includes(error) ? now : (known.get(error)?.since ?? now);
    known.delete(error);
    known.set(error, { since, last: now });
  }
  // A map keeps the order of its entries, so the errors that have not occurred for the longest time come first.
  if (due.length > 0) kv.put(UNKNOWN_ERRORS, new Map([...known].slice(-REMEMBERED_MAX)));
  return fresh.flatMap((error) => errors.get(error) ?? []);
}

/** Returns how often and since when the error has been tried, if it lasts; undefined otherwise. */
export function describeLasting(
  { kv }: DurableObjectStorage,
  reason: Reason,
  tries: number,
  now: Milliseconds,
): string | undefined {
  const meetings = kv.get<Map<string, Meetings>>(UNKNOWN_ERRORS)?.get(nameOf(reason));
  if (meetings === undefined || tries < LASTING_TRIES || now - meetings.since < LASTING_MS) return undefined;
  return `${tries} tries since ${new Date(meetings.since).toISOString()}`;
}

const nameOf = ({ code, detail }: Reason) => `${code} ${detail}`;
