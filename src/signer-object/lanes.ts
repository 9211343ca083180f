import { backoff } from '../lib/backoff.ts';
import { type Served, type StepEntry, waitingSteps } from './step-table.ts';

/** One lane per gatekeeper network: first come first served inside, round robin between them. */

const PAUSE_MIN_MS = 5_000;
const PAUSE_MAX_MS = 5 * 60_000;

/** The next steps to take, at most `limit`: one of each lane in turn, going on after the lane that was served last. */
export function nextSteps(
  sql: SqlStorage,
  served: Served,
  limit: number,
  turn: { last?: string },
  now: number,
): StepEntry[] {
  if (limit <= 0) return [];
  const lanes = openLanes(sql, now);
  const start = Math.max(
    0,
    lanes.findIndex((lane) => lane > (turn.last ?? '')),
  );
  const queues = [...lanes.slice(start), ...lanes.slice(0, start)].map((lane) =>
    waitingSteps(sql, served, lane, now, limit),
  );
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  const rounds = Array.from({ length: longest }, (_, round) => queues.flatMap((queue) => queue[round] ?? []));
  const next = rounds.flat().slice(0, limit);
  const last = next.at(-1)?.step.key.gatekeeperNetwork;
  if (last !== undefined) turn.last = last;
  return next;
}

function openLanes(sql: SqlStorage, now: number): string[] {
  const query = 'SELECT gatekeeper_network AS lane FROM lane WHERE paused_until <= ? ORDER BY gatekeeper_network';
  return sql
    .exec<{ lane: string }>(query, now)
    .toArray()
    .map(({ lane }) => lane);
}

/** Leaves a lane alone for a while, longer each time. */
export function pauseLane(sql: SqlStorage, lane: string, why: string, now: number): void {
  const query = 'SELECT pauses FROM lane WHERE gatekeeper_network = ?';
  const { pauses } = sql.exec<{ pauses: number }>(query, lane).one();
  sql.exec(
    'UPDATE lane SET paused_until = ?, pauses = pauses + 1, why = ? WHERE gatekeeper_network = ?',
    now + backoff(PAUSE_MIN_MS, pauses, PAUSE_MAX_MS),
    why,
    lane,
  );
}

/** A call of the lane would succeed: whatever it waited for is mended. */
export function resumeLane(sql: SqlStorage, lane: string): void {
  sql.exec(
    'UPDATE lane SET paused_until = 0, pauses = 0, why = NULL WHERE gatekeeper_network = ? AND pauses > 0',
    lane,
  );
}
