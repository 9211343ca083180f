import { DatabaseTimeout } from './d1-circuit-breaker.ts';

/** Returns a database that answers nothing, as if D1 were unavailable. Its faults are transient: callers try again later. */
export function closedDatabase(name: string): D1Database {
  const fail = () => Promise.reject(new DatabaseTimeout(`${name} is closed for a restore`));
  const statement = { bind: () => statement, first: fail, all: fail, run: fail, raw: fail };
  const database = { prepare: () => statement, batch: fail, exec: fail };
  return { ...database, withSession: () => ({ ...database, getBookmark: () => null }) } as unknown as D1Database;
}
