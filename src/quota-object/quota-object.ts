import { DurableObject } from 'cloudflare:workers';

interface Day {
  /** Days since 1970 (UTC). */
  readonly day: number;
  /** How many passes are counted on it. */
  readonly count: number;
}

const DAY_SECONDS = 86_400;

/**
 * What one OAuth client has issued today, and the one place where that is counted: one turn for each pass, so exact
 * however many ask at once.
 */
export class QuotaObject extends DurableObject<Env> {
  /**
   * Counts the pass for today, unless `daily` are counted already. 0 when it is counted, now or earlier today (asking
   * again costs nothing more), else the seconds until the next day begins.
   */
  async countPass(pass: string, daily: number): Promise<number> {
    const now = Math.floor(Date.now() / 1000);
    const today = this.#today(now);
    const { day, count } = today;
    const { kv, sql } = this.ctx.storage;
    if (sql.exec('SELECT 1 FROM counted WHERE pass = ?', pass).toArray().length > 0) return 0;
    if (count >= daily) return (day + 1) * DAY_SECONDS - now;
    sql.exec('INSERT INTO counted (pass) VALUES (?)', pass);
    kv.put<Day>('day', { ...today, count: count + 1 });
    return 0;
  }

  /** The day that is counted; a new one begins with nothing, and what earlier ones held is gone. */
  #today(now: number): Day {
    const { kv, sql } = this.ctx.storage;
    const last = kv.get<Day>('day');
    const day = Math.floor(now / DAY_SECONDS);
    // An object may wake up where the clock is behind: the day that has begun goes on, or it would be counted anew.
    if (last !== undefined && day <= last.day) return last;
    // Dropping the table writes two rows. Deleting its rows would write as many as counting them did.
    sql.exec(`DROP TABLE IF EXISTS counted; ${this.#layout()}`);
    const today: Day = { ...last, day, count: 0 };
    kv.put('day', today);
    return today;
  }

  /** Returns the statement that made the present table, which the next release may have extended. */
  #layout(): string {
    const query = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'counted'";
    const [stored] = this.ctx.storage.sql.exec<{ sql: string }>(query).toArray();
    return stored?.sql ?? 'CREATE TABLE counted (pass TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID';
  }
}
