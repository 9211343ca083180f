import type { Nonces } from '../chain/port.ts';
import type { Pause } from './pause.ts';
import { IS_REQUEUED, IS_UNMINED } from './step-table.ts';

/**
 * Maximum number of nonces that the signer follows a node beyond the nonces that it knows to be used. If the node lied, the
 * signer must fill that many.
 */
export const NONCES_MAX_AHEAD = 16;

/** Why the next nonce is unknown, for the operator. */
export interface UnknownNonce {
  readonly why: string;
}

const NOT_OURS: UnknownNonce = { why: 'this key has pending transactions that this signer did not send' };
const FAR_AHEAD: UnknownNonce = { why: 'the node counts far more transactions of this key than this signer sent' };

/**
 * Returns the next nonce of the key; undefined on chains without nonces.
 *
 * A signer with an empty store starts only when `latest` and `pending` agree. Otherwise `latest` would replace pending
 * transactions of the key, and `pending` would mint beside them.
 *
 * If the node counts more transactions than this store signed, somebody else used the key, or the node lies. Transactions
 * behind a gap wait until the signer fills the gap, which costs money. So the signer follows the node at most
 * `NONCES_MAX_AHEAD` beyond its oldest unmined transaction. If the node counts more, the signer pauses first. If the node
 * repeats its count, the signer goes to that bound, and continues from there later: used nonces show on the chain in the
 * end, and unused ones are filled.
 */
export function nextNonce(
  { kv, sql }: DurableObjectStorage,
  nonces: Nonces | undefined,
): number | UnknownNonce | undefined {
  if (nonces === undefined) return undefined;
  const { latest, pending } = nonces;
  const stored = kv.get<number>('nextNonce');
  if (stored === undefined) return latest === pending ? latest : NOT_OURS;
  const reach = Math.max(stored, (oldestUnmined(sql) ?? stored) + NONCES_MAX_AHEAD);
  if (latest > reach && kv.get<Pause>('pause')?.why !== FAR_AHEAD.why) return FAR_AHEAD;
  return Math.max(stored, Math.min(latest, reach));
}

/** Returns the highest nonce that a waiting step gave up and that is not settled; undefined if there is none. */
export function highestRequeued(sql: SqlStorage): number | undefined {
  const query = `SELECT max(nonce) AS nonce FROM step INDEXED BY step_requeued WHERE ${IS_REQUEUED}`;
  return sql.exec<{ nonce: number | null }>(query).one().nonce ?? undefined;
}

function oldestUnmined(sql: SqlStorage): number | undefined {
  const query = `SELECT min(nonce) AS nonce FROM (
    SELECT nonce FROM step INDEXED BY step_in_flight WHERE ${IS_UNMINED}
    UNION ALL SELECT nonce FROM step INDEXED BY step_requeued WHERE ${IS_REQUEUED})`;
  return sql.exec<{ nonce: number | null }>(query).one().nonce ?? undefined;
}

export function storeNextNonce({ kv }: DurableObjectStorage, nonce: number): void {
  if (kv.get('nextNonce') !== nonce) kv.put('nextNonce', nonce);
}

/**
 * Returns the nonces from `from` up to, but not including, `to` for which this store keeps no signed transaction. At any
 * other nonce, a filler would replace a transaction of the signer. A step that gave up its nonce keeps no transaction for
 * it, also if the step was withdrawn afterwards.
 */
export function findUnusedNonces(sql: SqlStorage, from: number, to: number): number[] {
  const query = `SELECT nonce FROM step
    WHERE nonce BETWEEN ? AND ? AND status <> 'waiting' AND NOT (status = 'final' AND standing ->> 'at' = 'withdrawn')`;
  const used = new Set(
    sql
      .exec<{ nonce: number }>(query, from, to)
      .toArray()
      .map(({ nonce }) => nonce),
  );
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index).filter((nonce) => !used.has(nonce));
}
