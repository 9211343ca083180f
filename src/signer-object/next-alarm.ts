import { backoff } from '../lib/backoff.ts';
import type { Network } from '../network/networks.ts';
import { currentPause } from './pause.ts';
import type { Signer } from './signer.ts';
import { IS_IN_FLIGHT } from './step-table.ts';

const TRACK_MIN_MS = 500;
const TRACK_MAX_MS = 5_000;
const UNANSWERED_TRACK_MAX_MS = 30_000;
/** Finality takes minutes on most networks, and nobody waits for it. */
export const FINALITY_TRACK_MS = 15_000;
const RETRY_WAITING_MS = 2_000;
/** Waiting steps that are asked when they may be tried: of more, one is ready or soon will be. */
const RETRY_MAX_ROWS = 1_000;
/** How long an outcome is left unacknowledged before it is announced again. */
export const ANNOUNCE_AGAIN_MS = 30_000;

/** How often transactions in flight are looked at, in milliseconds: twice a block, within reason. */
export function trackIntervalMs({ blockMs }: Network): number {
  return Math.min(TRACK_MAX_MS, Math.max(TRACK_MIN_MS, blockMs / 2));
}

/** The same, with a rest for nodes that did not answer so many looks in a row. */
export function trackDelayMs(network: Network, blindLooks: number): number {
  return backoff(trackIntervalMs(network), blindLooks, UNANSWERED_TRACK_MAX_MS);
}

/** When the signer has something to do next (milliseconds); undefined: nothing. */
export function nextAlarm({ storage, network }: Signer, now: number, blindLooks = 0): number | undefined {
  const { sql } = storage;
  const has = (condition: string) => sql.exec(`SELECT 1 FROM step WHERE ${condition} LIMIT 1`).toArray().length > 0;
  const dues = [
    has(`${IS_IN_FLIGHT} AND status <> 'confirmed'`) ? now + trackDelayMs(network, blindLooks) : undefined,
    has(`${IS_IN_FLIGHT} AND status = 'confirmed'`) ? now + FINALITY_TRACK_MS : undefined,
    has('unacknowledged = 1') ? now + ANNOUNCE_AGAIN_MS : undefined,
    nextRetry(storage, now),
    earliest(sql, 'SELECT min(forget_at) AS at FROM step WHERE forget_at IS NOT NULL'),
  ].filter((due) => due !== undefined);
  return dues.length === 0 ? undefined : Math.min(...dues);
}

function nextRetry(storage: DurableObjectStorage, now: number): number | undefined {
  const lane = earliest(
    storage.sql,
    `SELECT min(paused_until) AS at FROM lane WHERE EXISTS
       (SELECT 1 FROM step WHERE status = 'waiting' AND step.gatekeeper_network = lane.gatekeeper_network)`,
  );
  if (lane === undefined) return undefined;
  // All of them may have been put off: a freeze waits for its mint to be final.
  const step = earliest(
    storage.sql,
    `SELECT min(not_before) AS at FROM
       (SELECT not_before FROM step INDEXED BY step_waiting WHERE status = 'waiting' LIMIT ${RETRY_MAX_ROWS})`,
  );
  return Math.max(lane, step ?? 0, now + RETRY_WAITING_MS, currentPause(storage, now)?.until ?? 0);
}

function earliest(sql: SqlStorage, query: string): number | undefined {
  return sql.exec<{ at: number | null }>(query).one().at ?? undefined;
}
