import { type Journey, send } from './execution.ts';
import type { Scheduler } from './scheduler.ts';
import { isRead, refuseTransaction, type SqlDatabase, type SqlRow, type SqlValue } from './sql-database.ts';

/** The decisions of the world about databases. */
export interface DatabaseRules {
  /** Returns how a query fares. */
  journey(database: string): Journey;
  /** Returns by how many versions a replica is behind that a session without a bookmark reads. */
  lag(database: string): number;
  /** Whether it has no room for a new or changed row. */
  isFull?(database: string): boolean;
}

interface Bound {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Runs a read on the database that a session chooses. */
type Source = <T>(read: (database: SqlDatabase) => T) => T;

/** The rows of a database, by the names of its tables. */
export type DatabaseCopy = ReadonlyMap<string, readonly SqlRow[]>;

const FULL = 'Exceeded maximum DB size';
const IS_DELETION = /^\s*DELETE\b/i;

/** A database of D1: a primary, and a replica that follows it later. */
export class SimulatedDatabase {
  readonly #name: string;
  readonly #scheduler: Scheduler;
  readonly #rules: DatabaseRules;
  readonly #primary: SqlDatabase;
  readonly #replica: SqlDatabase;
  /** The changes of each version that the replica may lack. */
  readonly #versions: (readonly Bound[])[] = [];
  /** The version that the replica has. */
  #replicated = 0;
  /** Sizes that D1 reports (bytes). */
  size = 0;

  /** @param databases An empty primary and an empty replica with the same tables. */
  constructor(
    name: string,
    databases: readonly [SqlDatabase, SqlDatabase],
    scheduler: Scheduler,
    rules: DatabaseRules,
  ) {
    this.#name = name;
    [this.#primary, this.#replica] = databases;
    this.#scheduler = scheduler;
    this.#rules = rules;
  }

  prepare(sql: string): Statement {
    return new Statement(
      this.#runner(() => {}, this.#onPrimary),
      sql,
      [],
    );
  }

  batch(statements: readonly Statement[]): Promise<object[]> {
    return this.#batch(statements, () => {}, this.#onPrimary);
  }

  /** Returns a session, which never reads an older version than it has seen. */
  withSession(constraint = 'first-unconstrained') {
    const isBookmark = !constraint.startsWith('first-');
    /** The version that the session has seen; undefined: none yet. */
    let seen = isBookmark ? Math.min(versionOf(constraint), this.#versions.length) : undefined;
    const note = () => {
      seen = this.#versions.length;
    };
    const readFrom: Source = (read) => {
      const isOfPrimary = seen === undefined && constraint === 'first-primary';
      const oldest = this.#versions.length - this.#rules.lag(this.#name);
      if (!isOfPrimary) this.#replicateUntil(Math.max(seen ?? 0, oldest));
      const answer = read(isOfPrimary ? this.#primary : this.#replica);
      // A query that fails shows no version.
      seen = isOfPrimary ? this.#versions.length : this.#replicated;
      return answer;
    };
    return {
      prepare: (sql: string) => new Statement(this.#runner(note, readFrom), sql, []),
      batch: (statements: readonly Statement[]) => this.#batch(statements, note, readFrom),
      getBookmark: () => (seen === undefined ? null : bookmarkOf(seen)),
    };
  }

  /** Changes it at once, for the preparation of a world. */
  write(sql: string, ...values: SqlValue[]): void {
    this.#primary.exec(sql, values);
    this.#keep([{ sql, values }]);
  }

  /** Returns all rows, by the names of their tables. */
  copy(): DatabaseCopy {
    const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
    return new Map(this.read(tables).map(({ name }) => [String(name), this.read(`SELECT * FROM "${name}"`)]));
  }

  /** Returns to a copy at once (Time Travel). Its versions continue. A trigger may have added a row before. */
  restore(copy: DatabaseCopy): void {
    for (const table of [...copy.keys()].toReversed()) this.write(`DELETE FROM "${table}"`);
    for (const [table, rows] of copy)
      for (const row of rows) {
        const names = Object.keys(row);
        const values = Object.values(row) as SqlValue[];
        this.write(
          `INSERT OR REPLACE INTO "${table}" (${names.join()}) VALUES (${names.map(() => '?').join()})`,
          ...values,
        );
      }
  }

  /** Runs it at once, for judges. */
  read(sql: string, ...values: SqlValue[]): SqlRow[] {
    return this.#primary.all(sql, values);
  }

  readonly #onPrimary: Source = (read) => read(this.#primary);

  #runner(onWrite: () => void, readFrom: Source): Runner {
    return (bound) =>
      this.#send(() => {
        if (isRead(bound.sql)) return readFrom((database) => this.#answer(database, bound));
        const [result] = this.#answerAll(this.#primary, [bound]);
        this.#keep([bound]);
        onWrite();
        return result as Answer;
      });
  }

  #batch(statements: readonly Statement[], onWrite: () => void, readFrom: Source): Promise<object[]> {
    const all = statements.map(({ bound }) => bound);
    return this.#send(() => {
      if (all.length === 0) throw new Error('No SQL statements detected.');
      if (all.every(({ sql }) => isRead(sql))) return readFrom((database) => this.#answerAll(database, all));
      const results = this.#answerAll(this.#primary, all);
      this.#keep(all);
      onWrite();
      return results;
    });
  }

  #answerAll(database: SqlDatabase, all: readonly Bound[]): object[] {
    database.run('BEGIN');
    try {
      const results = all.map((each) => this.#answer(database, each));
      database.run('COMMIT');
      return results;
    } catch (fault) {
      database.run('ROLLBACK');
      throw fault;
    }
  }

  #send<T>(work: () => T): Promise<T> {
    return send(this.#scheduler, `D1 ${this.#name}`, this.#rules.journey(this.#name), () => {
      try {
        return work();
      } catch (fault) {
        throw faultOf('D1_ERROR', fault instanceof Error ? fault.message : String(fault));
      }
    });
  }

  #answer(database: SqlDatabase, { sql, values }: Bound) {
    if (!/\S/.test(sql)) throw new Error('No SQL statements detected.');
    if (!isRead(sql)) refuseTransaction(sql);
    const cursor = database.exec(sql, values);
    const changes = cursor.rowsWritten;
    if (changes > 0 && !IS_DELETION.test(sql) && this.#rules.isFull?.(this.#name)) throw new Error(FULL);
    const meta = { size_after: this.size, changes, rows_written: changes, rows_read: 0, duration: 0 };
    return { success: true, results: cursor.toArray().map(rowOf), meta };
  }

  #keep(changes: readonly Bound[]): void {
    this.#versions.push(changes.filter(({ sql }) => !isRead(sql)));
  }

  #replicateUntil(version: number): void {
    for (; this.#replicated < version; this.#replicated += 1)
      for (const { sql, values } of this.#versions[this.#replicated] ?? []) this.#replica.exec(sql, values);
  }
}

type Answer = { readonly success: boolean; readonly results: readonly SqlRow[]; readonly meta: object };
type Runner = (bound: Bound) => Promise<Answer>;

class Statement {
  readonly bound: Bound;
  readonly #run: Runner;

  constructor(run: Runner, sql: string, values: readonly SqlValue[]) {
    this.#run = run;
    this.bound = { sql, values };
  }

  bind(...values: unknown[]): Statement {
    return new Statement(this.#run, this.bound.sql, values.map(boundOf));
  }

  all(): Promise<Answer> {
    return this.#run(this.bound);
  }

  run(): Promise<Answer> {
    return this.#run(this.bound);
  }

  async first(column?: string): Promise<unknown> {
    const { results } = await this.#run(this.bound);
    const [row] = results;
    if (row === undefined) return null;
    if (column !== undefined && !(column in row))
      throw faultOf('D1_COLUMN_NOTFOUND', 'Column not found', ` (${column})`);
    return column === undefined ? row : row[column];
  }
}

const faultOf = (code: string, message: string, detail = ''): Error =>
  new Error(`${code}: ${message}${detail}`, { cause: new Error(message) });

/** Returns a value as D1's JSON has it. */
function boundOf(value: unknown): SqlValue {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean') return Number(value);
  if (value === null || typeof value === 'string' || value instanceof ArrayBuffer) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw faultOf('D1_TYPE_ERROR', `Type '${typeof value}' not supported for value '${value}'`);
}

/** Returns the row as D1's JSON has it: bytes as an array of numbers, and no infinite number. */
function rowOf(row: SqlRow): SqlRow {
  const changed = Object.entries(row).filter(([, value]) => value instanceof ArrayBuffer || !isFiniteIfNumber(value));
  if (changed.length === 0) return row;
  const values = changed.map(([name, value]) => [
    name,
    value instanceof ArrayBuffer ? [...new Uint8Array(value)] : null,
  ]);
  return { ...row, ...Object.fromEntries(values) };
}

const isFiniteIfNumber = (value: unknown): boolean => typeof value !== 'number' || Number.isFinite(value);

const part = (n: number) => n.toString(16).padStart(8, '0');
const bookmarkOf = (version: number) => `${part(version)}-00000000-00000000-${'0'.repeat(32)}`;
const versionOf = (bookmark: string) => Number.parseInt(bookmark.slice(0, 8), 16) || 0;
