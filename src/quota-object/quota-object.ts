import { DurableObject } from 'cloudflare:workers';
import { DAY_SECONDS, nowSeconds } from '../lib/units.ts';
import { HostTurns } from './host-turns.ts';

interface Day {
  /** Days since 1970 (UTC). */
  readonly day: number;
  /** Number of issued passes on that day. */
  readonly count: number;
  /** Number of changes on that day. */
  readonly changes: number;
  /** Number of replayed events on that day. */
  readonly replayed: number;
}

/** An item to count: the number of the day that it adds to, its unique name, and the quota. */
interface Countable {
  readonly what: 'count' | 'changes';
  readonly name: string;
  readonly daily: number;
}

/** The answer to a pass object: the number that has reached its quota, if one has, and the seconds until tomorrow. */
interface Counted {
  readonly reached?: Countable['what'];
  readonly retryAfter: number;
}

/** The answer to a replay. */
interface ReplayCount {
  readonly left: number;
  /** Seconds until tomorrow; 0: the events are counted. */
  readonly retryAfter: number;
}

/**
 * Counts the issuances and changes of one partner today. It is the only place that counts them, one at a time, so the counts
 * are exact even for many requests at once. The object with the name of a gatekeeper network does the same for all its clients
 * together: it counts their readings of the chain as passes, their changes without a transaction as changes, and replayed events. It
 * spreads the deliveries to each host.
 */
export class QuotaObject extends DurableObject<Env> {
  readonly #turns = new HostTurns();

  /**
   * Counts the issuance of a pass for today, unless `daily` issuances are counted already. Returns 0 if this pass is counted,
   * now or earlier today (repeating the call adds nothing). Otherwise returns the seconds until tomorrow.
   */
  async countPass(pass: string, daily: number): Promise<number> {
    return this.#count([{ what: 'count', name: pass, daily }]).retryAfter;
  }

  /** Returns the numbers that are counted today, and stores nothing. */
  async usedToday(): Promise<Pick<Day, 'count' | 'changes'>> {
    const last = this.ctx.storage.kv.get<Day>('day');
    const isToday = last !== undefined && last.day >= Math.floor(nowSeconds() / DAY_SECONDS);
    return isToday ? { count: last.count, changes: last.changes ?? 0 } : { count: 0, changes: 0 };
  }

  /** Counts a change in the same way. `change` names the pass and its version after the change. */
  async countChange(change: string, daily: number): Promise<number> {
    return this.#count([{ what: 'changes', name: change, daily }]).retryAfter;
  }

  /** Counts another issuance of a pass both as an issuance and as a change, or neither. */
  async countReissue(pass: string, daily: number, change: string, dailyChanges: number): Promise<Counted> {
    const items = [
      { what: 'count', name: pass, daily },
      { what: 'changes', name: change, daily: dailyChanges },
    ] as const;
    return this.#count(items);
  }

  /** Counts replayed events for today, all or none of them. Returns how many are left, and if they are fewer, when a day begins. */
  async countReplay(events: number, daily: number): Promise<ReplayCount> {
    const now = nowSeconds();
    const today = this.#today(now);
    const { replayed } = today;
    const left = Math.max(0, daily - replayed);
    if (events > left) return { left, retryAfter: (today.day + 1) * DAY_SECONDS - now };
    if (events > 0) this.ctx.storage.kv.put<Day>('day', { ...today, replayed: replayed + events });
    return { left: left - events, retryAfter: 0 };
  }

  /** Takes the next turns of deliveries to a host, and returns how many milliseconds to wait for each: none if that is more than `maxMs`. */
  async takeTurns(host: string, count: number, maxMs?: number): Promise<number[]> {
    return this.#turns.take(host, count, performance.now(), maxMs);
  }

  #count(all: readonly Countable[]): Counted {
    const now = nowSeconds();
    const today = this.#today(now);
    const { kv, sql } = this.ctx.storage;
    const isNew = ({ name }: Countable) =>
      sql.exec('SELECT 1 FROM counted WHERE pass = ?', name).toArray().length === 0;
    const fresh = all.filter(isNew);
    const full = fresh.find(({ what, daily }) => today[what] >= daily);
    if (full !== undefined) return { reached: full.what, retryAfter: (today.day + 1) * DAY_SECONDS - now };
    if (fresh.length === 0) return { retryAfter: 0 };
    for (const { name } of fresh) sql.exec('INSERT INTO counted (pass) VALUES (?)', name);
    const sums = fresh.map(({ what }) => [what, today[what] + 1]);
    kv.put<Day>('day', { ...today, ...Object.fromEntries(sums) });
    return { retryAfter: 0 };
  }

  /** Returns the current day. A new day starts at zero and deletes the counts of earlier days. */
  #today(now: number): Day {
    const { kv, sql } = this.ctx.storage;
    const last = kv.get<Day>('day');
    const day = Math.floor(now / DAY_SECONDS);
    // The object may restart on a host whose clock is behind. Keep the day that has begun, or it would be counted again. A later day is
    // one of a sandbox's clock, by which an earlier release counted.
    if (last !== undefined && day <= last.day && last.day <= day + 1) return last;
    // Dropping the table writes two rows. Deleting its rows would write as many as counting them did.
    sql.exec(`DROP TABLE IF EXISTS counted; ${this.#layout()}`);
    const today: Day = { ...last, day, count: 0, changes: 0, replayed: 0 };
    kv.put('day', today);
    return today;
  }

  /** Returns the statement that created the present table, which a newer release may have extended. */
  #layout(): string {
    const query = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'counted'";
    const [stored] = this.ctx.storage.sql.exec<{ sql: string }>(query).toArray();
    return stored?.sql ?? 'CREATE TABLE counted (pass TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID';
  }
}
