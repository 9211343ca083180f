import type { Milliseconds } from '../lib/brand.ts';
import { DAY_MS } from '../lib/time.ts';
import type { PassName } from '../pass/pass.ts';

/** The list of the passes of a sandbox: it limits their number, and says which ones to delete. A refused pass counts no rows. */

export const MAX_PASSES = 10_000;
/** A pass is deleted this long after its issuance. The clock of the sandbox does not count. */
export const KEPT_MS = 30 * DAY_MS;

export function createPassTable(sql: SqlStorage): void {
  sql.exec(`
    CREATE TABLE IF NOT EXISTS pass (name TEXT PRIMARY KEY, admitted INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS pass_by_age ON pass (admitted);
    CREATE TABLE IF NOT EXISTS pass_count (n INTEGER NOT NULL);
    INSERT INTO pass_count SELECT (SELECT count(*) FROM pass) WHERE NOT EXISTS (SELECT 1 FROM pass_count);
    CREATE TRIGGER IF NOT EXISTS pass_added AFTER INSERT ON pass BEGIN UPDATE pass_count SET n = n + 1; END;
    CREATE TRIGGER IF NOT EXISTS pass_removed AFTER DELETE ON pass BEGIN UPDATE pass_count SET n = n - 1; END;`);
}

/** Adds a new pass. Returns whether the list has it then: there may be no room. */
export function admit(sql: SqlStorage, name: PassName, now: Milliseconds): boolean {
  const query = `
    INSERT INTO pass (name, admitted) SELECT ?1, ?2
    WHERE (SELECT n FROM pass_count) < ?3 OR EXISTS (SELECT 1 FROM pass WHERE name = ?1)
    ON CONFLICT (name) DO UPDATE SET admitted = excluded.admitted RETURNING 1`;
  return sql.exec(query, name, now, MAX_PASSES).toArray().length > 0;
}

/** Returns the passes that are kept no longer. */
export function oldPasses(sql: SqlStorage, now: Milliseconds, limit: number): PassName[] {
  const query = 'SELECT name FROM pass WHERE admitted <= ? ORDER BY admitted LIMIT ?';
  return namesIn(sql.exec<{ name: string }>(query, now - KEPT_MS, limit));
}

/** Returns when the oldest pass is to be deleted; undefined: there is none. */
export function nextDeletion(sql: SqlStorage): Milliseconds | undefined {
  const { admitted } = sql.exec<{ admitted: number | null }>('SELECT min(admitted) AS admitted FROM pass').one();
  return admitted === null ? undefined : admitted + KEPT_MS;
}

/** Has the pass be deleted later, because it still has a step. */
export function postponeDeletion(sql: SqlStorage, name: PassName, ms: Milliseconds): void {
  sql.exec('UPDATE pass SET admitted = admitted + ? WHERE name = ?', ms, name);
}

/** Removes a deleted pass from the list. Returns whether it has done so: the wallet may have got a new pass meanwhile. */
export function removePass(sql: SqlStorage, name: PassName, now: Milliseconds): boolean {
  const query = 'DELETE FROM pass WHERE name = ? AND admitted <= ? RETURNING 1';
  return sql.exec(query, name, now - KEPT_MS).toArray().length > 0;
}

const namesIn = (rows: Iterable<{ name: string }>) => [...rows].map(({ name }) => name as PassName);
