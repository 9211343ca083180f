import type { Milliseconds } from '../lib/brand.ts';

/** Waiting steps that no time makes due, only an event. */

/** What a parked step waits for: its client is resumed, or the operator has it tried again. */
export type Parking = 'suspended' | 'held';

/** A release without parking prepares the step after this time, and no alarm of this one is due that late. */
export const PARKED_MS = 3650 * 24 * 3_600_000;

export function parkStep(sql: SqlStorage, seq: number, parking: Parking, why: string, now: Milliseconds): void {
  sql.exec('UPDATE step SET parked = ?, not_before = ?, why = ? WHERE seq = ?', parking, now + PARKED_MS, why, seq);
}

/** Makes the steps of clients that are not suspended any more due at `now`. */
export function resumeClients(sql: SqlStorage, suspended: readonly string[], now: Milliseconds): void {
  sql.exec(
    `UPDATE step SET parked = NULL, not_before = ?, why = NULL
     WHERE status = 'waiting' AND parked = 'suspended' AND client NOT IN (SELECT value FROM json_each(?))`,
    now,
    JSON.stringify(suspended),
  );
}
