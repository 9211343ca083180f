import type { Nonces } from '../chain/port.ts';
import type { Pause } from './pause.ts';
import { IS_REQUEUED, IS_UNMINED } from './step-table.ts';

/** How many nonces ahead of what is known to be used a node is followed, and as many are filled should it have lied. */
export const NONCES_MAX_AHEAD = 16;

/** Why no nonce can be told, for an operator. */
export interface UnknownNonce {
  readonly why: string;
}

const NOT_OURS: UnknownNonce = { why: 'transactions of this key are pending that this signer did not send' };
const FAR_AHEAD: UnknownNonce = { why: 'the node counts far more transactions of this key than this signer sent' };

/**
 * The next nonce of the key; undefined on chains without nonces.
 *
 * With an empty store `latest` would replace our own pending transactions and `pending` would mint beside them: the
 * signer starts only when both agree.
 *
 * Where the node counts more than was signed here, somebody else used the key, or the node lies: what is signed behind a
 * gap waits until that is filled, for money. So it is followed no further than `NONCES_MAX_AHEAD` of the oldest of ours that is in no
 * block; when it counts more, the signer waits, goes that far when it is told so again, and on from there: that a nonce is
 * used shows in the end, and one that is not is filled.
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

/** Returns the highest nonce that a waiting step gave up and that is not settled; undefined: none. */
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
 * Returns the nonces from `from` up to, but not including, `to` at which this store has signed nothing that it keeps. A
 * transaction that fills a nonce of our own would replace ours. A step that gave its nonce up, or was withdrawn then, keeps
 * nothing that could use the nonce.
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
