import { env } from 'cloudflare:workers';
import { second } from '../setup/second-database.ts';

/** Bookmarks like those of D1, which sort by age. */
const bookmarkOf = (position: number) =>
  `00000000-${position.toString(16).padStart(8, '0')}-00000000-${'0'.repeat(32)}`;

/**
 * A database with a replica that lags as the test says: the real one, and a second one that receives passes on demand. Sessions
 * follow D1's Sessions API.
 */
export class ReplicatedDatabase {
  /** Where sessions began. */
  readonly sessions: string[] = [];
  #primary = 1;
  #replica = 1;

  prepare(sql: string): D1PreparedStatement {
    return env.DB.prepare(sql);
  }

  batch(statements: D1PreparedStatement[]): Promise<D1Result[]> {
    this.#primary += 1;
    return env.DB.batch(statements);
  }

  withSession(from: string) {
    this.sessions.push(from);
    let bookmark = from.startsWith('first-') ? null : from;
    const seen = (position: number) => {
      const now = bookmarkOf(position);
      if (bookmark === null || now > bookmark) bookmark = now;
    };
    let isReplica = false;
    let writes = false;
    return {
      getBookmark: () => bookmark,
      batch: async (statements: D1PreparedStatement[]) => {
        if (!writes) return (isReplica ? second : env.DB).batch(statements);
        const results = await this.batch(statements);
        seen(this.#primary);
        return results;
      },
      prepare: (sql: string) => {
        if ((bookmark ?? '') > bookmarkOf(this.#primary)) return NOT_YET;
        isReplica = bookmark === null ? from !== 'first-primary' : bookmark <= bookmarkOf(this.#replica);
        writes ||= !/^\s*SELECT/.test(sql);
        seen(isReplica ? this.#replica : this.#primary);
        return (isReplica ? second : env.DB).prepare(sql);
      },
    };
  }

  /** Copies everything to the replica. */
  async catchUp(): Promise<void> {
    for (const table of ['passes', 'events', 'feeds']) await copyTable(table);
    this.#replica = this.#primary;
  }
}

async function copyTable(table: string): Promise<void> {
  const { results } = await env.DB.prepare(`SELECT * FROM ${table}`).all<Record<string, string | number>>();
  const rows = results.map((row) => {
    const places = Object.keys(row).map(() => '?');
    const insert = `INSERT OR REPLACE INTO ${table} (${Object.keys(row)}) VALUES (${places})`;
    return second.prepare(insert).bind(...Object.values(row));
  });
  if (rows.length > 0) await second.batch(rows);
}

/** The behavior for a bookmark that the primary does not have either. */
const refused = () => Promise.reject(new Error('D1_ERROR: invalid bookmark'));
const NOT_YET = { bind: () => ({ first: refused, all: refused }) };
