import type { Milliseconds } from '../lib/brand.ts';

/** A parked step is a waiting step that the signer must not sign, whatever the time is. */

/**
 * Why a step is parked. `suspended`: until the operator resumes its client; it is not due at any time. `held`: until the operator
 * redrives it, or the chain shows its aim. The signer prepares it from time to time to see that.
 */
export type Parking = 'suspended' | 'held';

/** Delay of `not_before` for the step of a suspended client: practically never. Only a release without parking may ever reach it. */
export const PARKED_MS = 3650 * 24 * 3_600_000;

export function parkStep(sql: SqlStorage, seq: number, parking: Parking, why: string, now: Milliseconds): void {
  sql.exec('UPDATE step SET parked = ?, not_before = ?, why = ? WHERE seq = ?', parking, now + PARKED_MS, why, seq);
}

/** Postpones a held step. It does nothing if the operator has redriven the step since it was read. */
export function postponeHeld(sql: SqlStorage, seq: number, until: Milliseconds, why: string): void {
  sql.exec(
    "UPDATE step SET not_before = ?, tries = tries + 1, why = ? WHERE seq = ? AND parked = 'held'",
    until,
    why,
    seq,
  );
}

/** Makes the parked steps of clients that are no longer suspended due at `now`. */
export function resumeClients(sql: SqlStorage, suspended: readonly string[], now: Milliseconds): void {
  sql.exec(
    `UPDATE step SET parked = NULL, not_before = ?, why = NULL
     WHERE status = 'waiting' AND parked = 'suspended' AND client NOT IN (SELECT value FROM json_each(?))`,
    now,
    JSON.stringify(suspended),
  );
}
