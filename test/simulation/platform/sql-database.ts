import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

export type SqlValue = string | number | null | boolean | ArrayBuffer | Uint8Array | undefined;
export type SqlRow = Record<string, unknown>;

/** The names of SQLite's codes, which the platform adds to a message. */
const CODES: Readonly<Record<number, string>> = {
  1: 'SQLITE_ERROR',
  19: 'SQLITE_CONSTRAINT',
  20: 'SQLITE_MISMATCH',
  25: 'SQLITE_RANGE',
};
const EXTENDED_CODES: Readonly<Record<number, string>> = {
  275: 'SQLITE_CONSTRAINT_CHECK',
  787: 'SQLITE_CONSTRAINT_FOREIGNKEY',
  1299: 'SQLITE_CONSTRAINT_NOTNULL',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  1811: 'SQLITE_CONSTRAINT_TRIGGER',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
  3091: 'SQLITE_CONSTRAINT_DATATYPE',
};

/** Returns the error of the platform for one of SQLite. */
function asPlatformError(fault: unknown): unknown {
  if (!(fault instanceof Error) || !('errcode' in fault)) return fault;
  const code = Number(fault.errcode);
  const extended = EXTENDED_CODES[code];
  const name = CODES[code & 255] ?? `SQLITE_${code & 255}`;
  return new Error(`${fault.message}: ${name}${extended === undefined ? '' : ` (extended: ${extended})`}`);
}

const reads = new Map<string, boolean>();

/** Whether the statement changes nothing. */
export function isRead(query: string): boolean {
  const known = reads.get(query) ?? (/^\s*(SELECT|WITH)\b/i.test(query) && !/\b(INSERT|UPDATE|DELETE)\b/i.test(query));
  reads.set(query, known);
  return known;
}

const plain = new DatabaseSync(':memory:');

/** SQLite's functions of time have the time of the world, and no other clock. */
function useTimeOfWorld(db: DatabaseSync): void {
  db.function('unixepoch', { varargs: true }, (...args) => {
    if (args.length > 1 || (args.length === 1 && args[0] !== 'subsec')) throw new Error('unixepoch of another time');
    return args.length === 0 ? Math.floor(Date.now() / 1_000) : Date.now() / 1_000;
  });
  db.function('strftime', { varargs: true }, (format, time) => {
    if (time !== 'now') throw new Error('strftime of another time');
    const query = "SELECT strftime(?, ?, 'unixepoch', 'subsec') AS text";
    return plain.prepare(query).get(format as string, Date.now() / 1_000)?.text as string;
  });
}

function openDatabase(): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  useTimeOfWorld(db);
  return db;
}

/** A database of SQLite with the answers of the platform's `sql.exec`. */
export class SqlDatabase {
  readonly #db = openDatabase();
  readonly #statements = new Map<string, StatementSync>();
  readonly #changes = this.#db.prepare('SELECT total_changes() AS n');

  /** Runs statements without values and results. */
  run(statements: string): void {
    this.#db.exec(statements);
  }

  /** Runs the statements, and returns the rows of the last one, which gets the values. */
  exec(query: string, values: readonly SqlValue[] = []): SqlCursor {
    try {
      if (isRead(query)) return new SqlCursor(this.all(query, values), 0);
      const before = this.#totalChanges();
      const rows = this.all(query, values);
      return new SqlCursor(rows, this.#totalChanges() - before);
    } catch (fault) {
      throw asPlatformError(fault);
    }
  }

  /** Returns the rows of the last statement. */
  all(query: string, values: readonly SqlValue[]): SqlRow[] {
    const known = this.#statements.get(query);
    if (known !== undefined) return rowsOf(known, query, values);
    if (!/\S/.test(query)) throw new Error('SQL code did not contain a statement.');
    const statement = this.#db.prepare(query);
    const rest = query.slice(statement.sourceSQL.length);
    if (/\S/.test(rest)) {
      rowsOf(statement, statement.sourceSQL, []);
      return this.all(rest, values);
    }
    // A change of the tables runs once.
    if (!/^\s*(CREATE|DROP|ALTER|SAVEPOINT|RELEASE|ROLLBACK)/i.test(query)) this.#statements.set(query, statement);
    return rowsOf(statement, query, values);
  }

  close(): void {
    this.#db.close();
  }

  #totalChanges(): number {
    return (this.#changes.get() as { n: number }).n;
  }
}

function rowsOf(statement: StatementSync, query: string, values: readonly SqlValue[]): SqlRow[] {
  if (values.length !== parametersIn(query)) throw new Error('Wrong number of parameter bindings for SQL query.');
  const inputs = values.map(inputOf);
  try {
    return (statement.all(...inputs) as SqlRow[]).map(outputOf);
  } catch (fault) {
    if (!(fault instanceof RangeError)) throw fault;
    // A number is too large for Node. The platform rounds it.
    statement.setReadBigInts(true);
    const rows = (statement.all(...inputs) as SqlRow[]).map(outputOf);
    statement.setReadBigInts(false);
    return rows;
  }
}

const NO_PARAMETERS = /'[^']*'|"[^"]*"|--.*|\/\*[\s\S]*?\*\//g;
const parameterCounts = new Map<string, number>();

/** Returns the number of values that the statement needs. SQLite takes fewer for granted, and the platform does not. */
function parametersIn(query: string): number {
  const known = parameterCounts.get(query);
  if (known !== undefined) return known;
  let count = 0;
  for (const [, index] of query.replaceAll(NO_PARAMETERS, '').matchAll(/\?(\d*)/g))
    count = Math.max(count, index === '' ? count + 1 : Number(index));
  parameterCounts.set(query, count);
  return count;
}

/** The platform binds anything else as its text, even `true`. */
function inputOf(value: SqlValue): SQLInputValue {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  if (value === undefined) return null;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return value;
  if (typeof value === 'bigint') throw new TypeError('Cannot convert a BigInt value to a number');
  return `${value}`;
}

/** The platform gives bytes as an ArrayBuffer. */
function outputOf(row: SqlRow): SqlRow {
  const out: SqlRow = {};
  for (const name in row) {
    const value = row[name];
    if (value instanceof Uint8Array) out[name] = value.slice().buffer;
    else out[name] = typeof value === 'bigint' ? Number(value) : value;
  }
  return out;
}

/** The rows of a statement. */
export class SqlCursor {
  readonly #rows: Iterator<SqlRow>;
  readonly #count: number;
  readonly rowsWritten: number;

  constructor(rows: readonly SqlRow[], rowsWritten: number) {
    this.#rows = rows.values();
    this.#count = rows.length;
    this.rowsWritten = rowsWritten;
  }

  toArray(): SqlRow[] {
    return [...this];
  }

  one(): SqlRow {
    const [row] = this.toArray();
    if (this.#count !== 1 || row === undefined)
      throw new Error(
        `Expected exactly one result from SQL query, but got ${this.#count === 0 ? 'no results' : 'multiple results'}.`,
      );
    return row;
  }

  next(): IteratorResult<SqlRow> {
    return this.#rows.next();
  }

  [Symbol.iterator](): Iterator<SqlRow> {
    return this.#rows;
  }
}

const USE_TRANSACTION =
  "To execute a transaction, please use the state.storage.transaction() or state.storage.transactionSync() APIs instead of the SQL BEGIN TRANSACTION or SAVEPOINT statements. The JavaScript API is safer because it will automatically roll back on exceptions, and because it interacts correctly with Durable Objects' automatic atomic write coalescing.";

/** Throws for statements of transactions, and for others that the platform refuses. */
export function refuseTransaction(query: string): void {
  const [keyword = ''] = /^\s*\w+/.exec(query) ?? [];
  switch (keyword.trim().toUpperCase()) {
    case 'BEGIN':
    case 'COMMIT':
    case 'END':
    case 'ROLLBACK':
    case 'SAVEPOINT':
    case 'RELEASE':
      throw new Error(USE_TRANSACTION);
    case 'ATTACH':
    case 'DETACH':
    case 'PRAGMA':
      throw new Error('not authorized: SQLITE_AUTH');
  }
}
