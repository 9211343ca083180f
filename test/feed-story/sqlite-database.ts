import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { StoryDatabase } from './feed-story.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');
const SCHEMA = readdirSync(MIGRATIONS)
  .toSorted()
  .map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'));

/** A bound statement. */
interface Bound {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/**
 * The methods of D1 that the store uses, on SQLite in this process. The same stories give the same rows on D1, which a test in the
 * Worker runtime proves.
 */
export class SqliteDatabase implements StoryDatabase {
  readonly #db = new DatabaseSync(':memory:');
  readonly #changes: StatementSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor() {
    for (const migration of SCHEMA) this.#db.exec(migration);
    this.#changes = this.#db.prepare('SELECT changes() AS changes');
  }

  prepare(sql: string) {
    const bound = (values: readonly SQLInputValue[]) => ({
      sql,
      values,
      bind: (...next: SQLInputValue[]) => bound(next),
      all: async () => this.#run({ sql, values }),
      first: async (column?: string) => {
        const [row] = this.#run({ sql, values }).results as Record<string, unknown>[];
        return row === undefined ? null : column === undefined ? row : row[column];
      },
      run: async () => this.#run({ sql, values }),
    });
    return bound([]);
  }

  async batch(statements: readonly Bound[]) {
    this.#db.exec('BEGIN');
    try {
      const results = statements.map((statement) => this.#run(statement));
      this.#db.exec('COMMIT');
      return results;
    } catch (fault) {
      this.#db.exec('ROLLBACK');
      throw fault;
    }
  }

  /** Deletes all rows, which takes less time than a new database. */
  clear(): void {
    const tables = this.#db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    for (const { name } of tables) this.#db.exec(`DELETE FROM ${name}`);
  }

  close(): void {
    this.#db.close();
  }

  #run({ sql, values }: Bound) {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    const results = known.all(...values);
    const [{ changes } = { changes: 0 }] = this.#changes.all() as { changes: number }[];
    return { success: true, results, meta: { size_after: 0, changes } };
  }
}
