import { backoff } from '../lib/backoff.ts';
import type { Milliseconds } from '../lib/brand.ts';

/** A lane holds the waiting steps of one gatekeeper network. An obstacle that concerns all of them pauses the lane. */

const PAUSE_MIN_MS = 5_000;
const PAUSE_MAX_MS = 5 * 60_000;

/** Returns until when the lane is paused, in milliseconds; 0 or a past time if it is not. */
export function pausedUntil(sql: SqlStorage, lane: string): number {
  const query = 'SELECT paused_until AS until FROM lane WHERE gatekeeper_network = ?';
  const [row] = sql.exec<{ until: number }>(query, lane).toArray();
  return row?.until ?? 0;
}

/** Returns how long a lane pauses after `pauses` pauses in a row. */
export function lanePauseMs(pauses: number): Milliseconds {
  return backoff(PAUSE_MIN_MS, pauses, PAUSE_MAX_MS);
}

/** Pauses a lane, longer each time. */
export function pauseLane(sql: SqlStorage, lane: string, why: string, now: number): void {
  const query = 'SELECT pauses FROM lane WHERE gatekeeper_network = ?';
  const { pauses } = sql.exec<{ pauses: number }>(query, lane).one();
  sql.exec(
    'UPDATE lane SET paused_until = ?, pauses = pauses + 1, why = ? WHERE gatekeeper_network = ?',
    now + lanePauseMs(pauses),
    why,
    lane,
  );
}

/** Ends the pause: a call of the lane would succeed. */
export function resumeLane(sql: SqlStorage, lane: string): void {
  sql.exec(
    'UPDATE lane SET paused_until = 0, pauses = 0, why = NULL WHERE gatekeeper_network = ? AND pauses > 0',
    lane,
  );
}
