import { copyOf } from './copy.ts';
import { JournaledMap } from './journal.ts';
import { isRead, refuseTransaction, SqlDatabase, type SqlValue } from './sql-database.ts';

interface ListOptions {
  readonly prefix?: string;
  readonly start?: string;
  readonly startAfter?: string;
  readonly end?: string;
  readonly limit?: number;
  readonly reverse?: boolean;
}

const ALARM = 'alarm';

/** An alarm of an object. Another one has another identity, even for the same time. */
export interface Alarm {
  /** Unix milliseconds. */
  readonly at: number;
}

/**
 * The storage of one object: pairs, tables and an alarm. All changes since the last commit are one commit, which the object makes when its
 * work yields, or none of them happened.
 */
export class ObjectStorage {
  readonly #pairs = new JournaledMap<unknown>();
  readonly #alarm = new JournaledMap<Alarm>();
  /** The alarm whose handler runs. */
  #firing: Alarm | undefined;
  readonly #onChange: () => void;
  #tables: SqlDatabase | undefined;
  /** Whether a transaction of the tables is open. */
  #isOpen = false;
  #depth = 0;

  /** @param onChange Called before each change. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The alarm that the object sees; undefined: none is set, or its handler runs. */
  get alarm(): Alarm | undefined {
    const stored = this.#alarm.get(ALARM);
    return stored === this.#firing ? undefined : stored;
  }

  /** The alarm of the last commit that is still to fire, or whose handler runs. */
  get storedAlarm(): Alarm | undefined {
    return this.#alarm.get(ALARM);
  }

  /** @param at Unix milliseconds; undefined: none. */
  setAlarm(at: number | undefined): void {
    if (at === this.alarm?.at && this.#firing === undefined) return;
    this.#change();
    if (at === undefined) this.#alarm.delete(ALARM);
    else this.#alarm.set(ALARM, { at });
  }

  /** From now on, the object sees no alarm until it sets one. */
  beginAlarm(): void {
    this.#firing = this.#alarm.get(ALARM);
  }

  /** Deletes the alarm whose handler has ended, unless the handler set another one. Returns whether it is still the same. */
  endAlarm(succeeded: boolean): boolean {
    const isSame = this.#firing !== undefined && this.#alarm.get(ALARM) === this.#firing;
    if (isSame && succeeded) this.#alarm.delete(ALARM);
    this.#firing = undefined;
    return isSame;
  }

  /** Deletes the alarm, as the platform does when it gives it up. */
  dropAlarm(): void {
    this.#alarm.delete(ALARM);
  }

  commit(): void {
    this.#pairs.keep();
    this.#alarm.keep();
    if (this.#isOpen) this.#tables?.run('COMMIT');
    this.#isOpen = false;
  }

  /** Undoes everything since the last commit. */
  rollBack(): void {
    this.#pairs.undoTo(0);
    this.#alarm.undoTo(0);
    if (this.#isOpen) this.#tables?.run('ROLLBACK');
    this.#isOpen = false;
    this.#depth = 0;
  }

  /** Whether there are changes since the last commit. */
  get hasChanges(): boolean {
    return this.#pairs.mark() > 0 || this.#alarm.mark() > 0 || this.#isOpen;
  }

  close(): void {
    this.#tables?.close();
    this.#tables = undefined;
  }

  readonly kv = {
    get: (key: string): unknown => {
      return copyOf(this.#pairs.get(key), 'as objects');
    },
    put: (key: string, value: unknown): void => {
      const copy = copyOf(value, 'as objects');
      this.#change();
      this.#pairs.set(key, copy);
    },
    delete: (key: string): boolean => {
      this.#change();
      return this.#pairs.delete(key);
    },
    list: (options: ListOptions = {}): IterableIterator<[string, unknown]> => this.#list(options).values(),
  };

  readonly sql = {
    exec: (query: string, ...values: SqlValue[]) => {
      if (!isRead(query)) {
        refuseTransaction(query);
        this.#change();
      }
      return this.#exec(query, values);
    },
  };

  transactionSync<T>(work: () => T): T {
    const marks = [this.#pairs.mark(), this.#alarm.mark()] as const;
    this.#depth += 1;
    const name = `s${this.#depth}`;
    this.#exec(`SAVEPOINT ${name}`);
    try {
      const result = work();
      this.#exec(`RELEASE ${name}`);
      return result;
    } catch (fault) {
      this.#exec(`ROLLBACK TO ${name}`);
      this.#exec(`RELEASE ${name}`);
      this.#pairs.undoTo(marks[0]);
      this.#alarm.undoTo(marks[1]);
      throw fault;
    } finally {
      this.#depth -= 1;
    }
  }

  deleteAll(): void {
    this.#change();
    for (const key of this.#pairs.keys()) this.#pairs.delete(key);
    this.#alarm.delete(ALARM);
    if (this.#tables === undefined) return;
    const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    for (const { name } of this.sql.exec(tables).toArray()) this.sql.exec(`DROP TABLE "${name}"`);
  }

  #list({ prefix = '', start, startAfter, end, limit, reverse }: ListOptions): [string, unknown][] {
    if (limit !== undefined && !(limit > 0)) throw new TypeError('List limit must be positive.');
    if (start !== undefined && startAfter !== undefined)
      throw new TypeError('list() cannot be called with both start and startAfter values.');
    const keys = this.#pairs
      .keys()
      .filter(
        (key) =>
          key.startsWith(prefix) &&
          (start === undefined || key >= start) &&
          (startAfter === undefined || key > startAfter) &&
          (end === undefined || key < end),
      );
    return (reverse ? keys.toReversed() : keys).slice(0, limit).map((key) => [key, this.kv.get(key)]);
  }

  #exec(query: string, values: readonly SqlValue[] = []) {
    this.#tables ??= new SqlDatabase();
    if (!this.#isOpen) this.#tables.run('BEGIN');
    this.#isOpen = true;
    return this.#tables.exec(query, values);
  }

  #change(): void {
    this.#onChange();
  }
}
