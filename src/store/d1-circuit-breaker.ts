import { waitUntil } from 'cloudflare:workers';
import type { Milliseconds } from '../lib/units.ts';
import { LateAnswer, withTimeout } from '../lib/with-timeout.ts';

const ANSWER_TIMEOUT_MS = 2_000;
const OPEN_MS = 5_000;

/** D1 did not answer in time, or the circuit is open after an earlier timeout. A later attempt may succeed. */
export class DatabaseTimeout extends LateAnswer {
  override readonly name = 'DatabaseTimeout';
}

/** Background work can wait for D1, but not indefinitely, because an alarm or other work waits behind it. */
const BACKGROUND_TIMEOUT_MS = 10_000;

/** Returns the database with queries that fail after a time, for background work. Their work continues. */
export function boundAnswers(db: D1Database, timeoutMs = BACKGROUND_TIMEOUT_MS): D1Database {
  const run: Run = (work) => answerInTime(work(), timeoutMs);
  return guardDatabase(db, run, () => run);
}

/**
 * Returns the database behind a circuit breaker, for callers that must not wait. A query that takes longer than two seconds
 * fails, though its work continues. The circuit then stays open for five seconds, so that other callers do not wait too. After
 * that, one query at a time finds out whether D1 answers again. D1 runs one statement after another, so one late answer
 * predicts the others. The result has the methods that the store uses: `prepare`, `batch` and sessions.
 */
export function breakCircuit(db: D1Database, timeoutMs = ANSWER_TIMEOUT_MS, openMs = OPEN_MS): D1Database {
  const breaker = new CircuitBreaker(timeoutMs, openMs);
  return guardDatabase(
    db,
    (work) => breaker.run(work),
    // A bookmark comes from the caller and may name a future version: a late answer to it says nothing about the database.
    (constraint) => (work) => breaker.run(work, constraint.startsWith('first-')),
  );
}

function guardDatabase(db: D1Database, run: Run, runIn: (constraint: string) => Run): D1Database {
  return {
    ...guard(db, run),
    withSession(constraint: string) {
      const session = db.withSession(constraint);
      return { ...guard(session, runIn(constraint)), getBookmark: () => session.getBookmark() };
    },
  } as unknown as D1Database;
}

type Run = <T>(work: () => Promise<T>) => Promise<T>;

class CircuitBreaker {
  readonly #timeoutMs: Milliseconds;
  readonly #openMs: Milliseconds;
  /** Undefined while the circuit is closed. */
  #openUntil: Milliseconds | undefined;

  constructor(timeoutMs: Milliseconds, openMs: Milliseconds) {
    this.#timeoutMs = timeoutMs;
    this.#openMs = openMs;
  }

  /**
   * Runs the query.
   * @param counts Whether a late answer opens the circuit.
   */
  async run<T>(work: () => Promise<T>, counts = true): Promise<T> {
    const now = Date.now();
    if (this.#openUntil !== undefined) {
      if (now < this.#openUntil) throw new DatabaseTimeout('circuit open after a timeout');
      // This query finds out whether D1 answers again; the others fail until then.
      if (counts) this.#openUntil = now + this.#openMs;
    }
    let isLate = false;
    try {
      return await answerInTime(work(), this.#timeoutMs, () => {
        isLate = true;
      });
    } finally {
      // An error is an answer too.
      if (counts || !isLate) this.#openUntil = isLate ? Date.now() + this.#openMs : undefined;
    }
  }
}

function guard(db: Pick<D1Database, 'prepare' | 'batch'>, run: Run) {
  const runMarked: Run = (work) => run(() => work().catch(throwMarked));
  return {
    prepare: (sql: string) => new GuardedStatement(db.prepare(sql), runMarked),
    batch: <T>(statements: readonly GuardedStatement[]): Promise<D1Result<T>[]> =>
      runMarked(() => db.batch<T>(statements.map(({ inner }) => inner))),
  };
}

/** Throws the fault with the prefix of D1's faults. Faults of the connection and of a destroyed database lack it. */
function throwMarked(fault: unknown): never {
  if (!(fault instanceof Error) || fault.message.startsWith('D1_')) throw fault;
  throw new Error(`D1_ERROR: ${fault.message}`, { cause: fault });
}

class GuardedStatement {
  readonly inner: D1PreparedStatement;
  readonly #run: Run;

  constructor(inner: D1PreparedStatement, run: Run) {
    this.inner = inner;
    this.#run = run;
  }

  bind(...values: unknown[]): GuardedStatement {
    return new GuardedStatement(this.inner.bind(...values), this.#run);
  }

  first<T>(column?: string): Promise<T | null> {
    return this.#run(() => (column === undefined ? this.inner.first<T>() : this.inner.first<T>(column)));
  }

  all<T>(): Promise<D1Result<T>> {
    return this.#run(() => this.inner.all<T>());
  }

  run<T>(): Promise<D1Result<T>> {
    return this.#run(() => this.inner.run<T>());
  }
}

/**
 * Returns the database's answer. Throws DatabaseTimeout after `timeoutMs`. A late write may still be committed, even after the
 * response to its request.
 */
export async function answerInTime<T>(work: Promise<T>, timeoutMs: Milliseconds, onLate = () => {}): Promise<T> {
  const answer = await withTimeout(timeoutMs, work, LATE);
  if (answer !== LATE) return answer;
  onLate();
  waitUntil(work.catch(() => {}));
  throw new DatabaseTimeout(`no answer within ${timeoutMs} ms`);
}

const LATE = Symbol('late');
