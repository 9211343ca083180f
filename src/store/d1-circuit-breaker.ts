import { waitUntil } from 'cloudflare:workers';
import { withTimeout } from '../lib/with-timeout.ts';

/** How long one answer of the database is waited for, and how long it is left alone after it gave none. */
const PATIENCE_MS = 2_000;
const REST_MS = 5_000;

/**
 * The database for callers who must not wait for it: what takes longer than two seconds fails for them, though the work
 * itself goes on. Then it is left alone for a while, so that not each of them waits as long; one at a time tries whether
 * it answers again. D1 runs one statement after the other, so an answer that is late says something of all of them.
 * It has what the store uses, `prepare`, `batch` and sessions. Its own faults begin as those of D1 do.
 */
export function patient(db: D1Database, patienceMs = PATIENCE_MS, restMs = REST_MS): D1Database {
  const patience = new Patience(patienceMs, restMs);
  return {
    ...asked(db, (work) => patience.ask(work)),
    withSession(from: string) {
      const session = db.withSession(from);
      // A bookmark is the caller's, and may be of a time to come: to be late with it says nothing of the database.
      const counts = from.startsWith('first-');
      return { ...asked(session, (work) => patience.ask(work, counts)), getBookmark: () => session.getBookmark() };
    },
  } as unknown as D1Database;
}

type Ask = <T>(work: () => Promise<T>) => Promise<T>;

class Patience {
  readonly #patienceMs: number;
  readonly #restMs: number;
  /** Until when it is left alone (ms); undefined while it answers. */
  #restsUntil: number | undefined;

  constructor(patienceMs: number, restMs: number) {
    this.#patienceMs = patienceMs;
    this.#restMs = restMs;
  }

  /** What does not count is asked like everything else, and the others do not learn from it that it was late. */
  async ask<T>(work: () => Promise<T>, counts = true): Promise<T> {
    const now = Date.now();
    if (this.#restsUntil !== undefined) {
      if (now < this.#restsUntil) throw new Error('D1_ERROR: left alone, as it did not answer in time');
      // Who comes now finds out for all the others.
      if (counts) this.#restsUntil = now + this.#restMs;
    }
    let late = false;
    try {
      return await inTime(work(), this.#patienceMs, () => {
        late = true;
      });
    } finally {
      // An error is an answer too.
      if (counts || !late) this.#restsUntil = late ? Date.now() + this.#restMs : undefined;
    }
  }
}

/** The database, or a session of it, each question asked in that way. */
function asked(db: Pick<D1Database, 'prepare' | 'batch'>, ask: Ask) {
  return {
    prepare: (sql: string) => new PatientStatement(db.prepare(sql), ask),
    batch: <T>(statements: readonly PatientStatement[]): Promise<D1Result<T>[]> =>
      ask(() => db.batch<T>(statements.map(({ inner }) => inner))),
  };
}

class PatientStatement {
  readonly inner: D1PreparedStatement;
  readonly #ask: Ask;

  constructor(inner: D1PreparedStatement, ask: Ask) {
    this.inner = inner;
    this.#ask = ask;
  }

  bind(...values: unknown[]): PatientStatement {
    return new PatientStatement(this.inner.bind(...values), this.#ask);
  }

  first<T>(column?: string): Promise<T | null> {
    return this.#ask(() => (column === undefined ? this.inner.first<T>() : this.inner.first<T>(column)));
  }

  all<T>(): Promise<D1Result<T>> {
    return this.#ask(() => this.inner.all<T>());
  }

  run<T>(): Promise<D1Result<T>> {
    return this.#ask(() => this.inner.run<T>());
  }
}

/**
 * What the database answers; throws when it has not within so many milliseconds. What was to be written then may still
 * be, also after the request that wanted it has been answered.
 */
export async function inTime<T>(work: Promise<T>, ms: number, onLate = () => {}): Promise<T> {
  const answer = await withTimeout(ms, work, LATE);
  if (answer !== LATE) return answer;
  onLate();
  waitUntil(work.catch(() => {}));
  throw new Error(`D1_ERROR: no answer within ${ms} ms`);
}

const LATE = Symbol('late');
