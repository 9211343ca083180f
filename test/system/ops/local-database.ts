import { globSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { storageFolderOf } from '../../../terminal/wrangler.ts';

/**
 * The local database of a state folder. While no wrangler runs, a test reads and writes its file directly, because each start of
 * wrangler takes seconds.
 */
export class LocalDatabase {
  readonly #state: string;
  readonly #file: string | undefined;

  /** @param file One of the files of several databases. */
  constructor(state: string, file?: string) {
    this.#state = state;
    this.#file = file;
  }

  /** Runs SQL statements without a result. */
  write(sql: string): void {
    this.use((db) => db.exec(sql));
  }

  /** Returns the rows that a statement finds. */
  rows(sql: string): Record<string, SQLOutputValue>[] {
    // SQLite's rows have no prototype, so they never equal an object.
    return this.use((db) => db.prepare(sql).all()).map((row) => ({ ...row }));
  }

  /** Runs the work with the open database. */
  use<T>(work: (db: DatabaseSync) => T): T {
    const [file, ...others] = this.#file === undefined ? databaseFilesOf(this.#state) : [this.#file];
    if (file === undefined || others.length > 0) throw new Error(`${this.#state} must have exactly one database`);
    const db = new DatabaseSync(file);
    try {
      return work(db);
    } finally {
      db.close();
    }
  }
}

/** Returns the files of the databases of a state folder. */
export function databaseFilesOf(state: string): string[] {
  return globSync(join(databaseFolderOf(state), '*', '*.sqlite')).filter((each) => !/metadata/.test(each));
}

/** Returns the folder with the databases of a state folder. */
export function databaseFolderOf(state: string): string {
  return join(storageFolderOf(state), 'v3', 'd1');
}
