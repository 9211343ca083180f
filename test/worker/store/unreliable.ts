import { env } from 'cloudflare:workers';

/** How the database behaves. */
type Manner = <T>(work: () => Promise<T>) => Promise<T>;

export const answering: Manner = (work) => work();
export const failing =
  (fault: string): Manner =>
  () =>
    Promise.reject(new Error(fault));
export const hanging: Manner = () => new Promise(() => {});
/** Answers `ms` later. */
export const late =
  (ms: number): Manner =>
  async (work) => {
    await scheduler.wait(ms);
    return work();
  };
/** Does the work, and reports a failure. */
export const commitsAndFails: Manner = async (work) => {
  await work();
  throw new Error('D1_ERROR: Network connection lost.');
};

/** The real database behind a connection with faults of the test. */
export class UnreliableDatabase {
  manner: Manner = answering;
  /** The number of requests to it. */
  asked = 0;
  readonly #db: D1Database;

  constructor(db = env.DB) {
    this.#db = db;
  }

  prepare(sql: string): Statement {
    return new Statement(this.#db.prepare(sql), (work) => this.#meet(work));
  }

  batch(statements: readonly Statement[]): Promise<D1Result[]> {
    return this.#meet(() => this.#db.batch(statements.map(({ inner }) => inner)));
  }

  /** A session behaves in the same way. */
  withSession(from: string) {
    const session = this.#db.withSession(from);
    return {
      prepare: (sql: string) => new Statement(session.prepare(sql), (work) => this.#meet(work)),
      batch: (statements: readonly Statement[]) =>
        this.#meet(() => session.batch(statements.map(({ inner }) => inner))),
      getBookmark: () => session.getBookmark(),
    };
  }

  /** Returns it as a binding. */
  get asD1(): D1Database {
    return this as unknown as D1Database;
  }

  #meet<T>(work: () => Promise<T>): Promise<T> {
    this.asked += 1;
    return this.manner(work);
  }
}

class Statement {
  readonly inner: D1PreparedStatement;
  readonly #meet: Manner;

  constructor(inner: D1PreparedStatement, meet: Manner) {
    this.inner = inner;
    this.#meet = meet;
  }

  bind(...values: unknown[]): Statement {
    return new Statement(this.inner.bind(...values), this.#meet);
  }

  first<T>(column?: string): Promise<T | null> {
    return this.#meet(() => (column === undefined ? this.inner.first<T>() : this.inner.first<T>(column)));
  }

  all<T>(): Promise<D1Result<T>> {
    return this.#meet(() => this.inner.all<T>());
  }

  run<T>(): Promise<D1Result<T>> {
    return this.#meet(() => this.inner.run<T>());
  }
}
