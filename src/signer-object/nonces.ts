import { KmsFault, type Nonces } from '../chain/port.ts';
import type { Milliseconds, NanoCoins } from '../lib/brand.ts';
import { log } from '../log/log.ts';
import type { Reason } from '../pass/wait-reasons.ts';
import { commit } from './commit.ts';
import { pauseOnKmsFault, type Signer } from './signer.ts';
import { dayOf } from './step-cost.ts';
import { SIGNER } from './waits.ts';

/**
 * Maximum number of nonces that the signer follows a node beyond the nonces that it knows to be used. If the node lied, the
 * signer must fill that many.
 */
export const NONCES_MAX_AHEAD = 16;

const PENDING = 'eth_getTransactionCount does not show the pending transactions of the key';

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
  { storage, steps, waits }: Pick<Signer, 'storage' | 'steps' | 'waits'>,
  nonces: Nonces | undefined,
): number | Reason | undefined {
  if (nonces === undefined) return undefined;
  const { latest, pending } = nonces;
  const stored = storage.kv.get<number>('nextNonce');
  if (stored === undefined && pending === undefined) return { code: 'nodes-unanswered', detail: PENDING };
  if (stored === undefined) return latest === pending ? latest : { code: 'foreign-transactions' };
  const reach = Math.max(stored, (steps.oldestUnminedNonce() ?? stored) + NONCES_MAX_AHEAD);
  const isRepeated = waits.of(SIGNER).some(({ code }) => code === 'nonces-far-ahead');
  if (latest > reach && !isRepeated) return { code: 'nonces-far-ahead' };
  return Math.max(stored, Math.min(latest, reach));
}

export function storeNextNonce({ kv }: DurableObjectStorage, nonce: number): void {
  if (kv.get('nextNonce') !== nonce) kv.put('nextNonce', nonce);
}

/**
 * Fills nonces that have no transaction, because later transactions wait for them. It ignores the nodes' answers: if a node
 * already has a transaction for the nonce, or the nonce is used, the gap is closed as well. It fills no nonce whose cost
 * would exceed a ceiling.
 */
export async function fillNonceGaps(signer: Signer, nonces: readonly number[], now: Milliseconds): Promise<void> {
  const { name, storage, chain, spending } = signer;
  if (nonces.length === 0) return;
  const batch = spending.openBatch(now);
  const signed = await chain.signGapFillers(nonces);
  pauseOnKmsFault(signer, signed, now);
  const counted = costsToday(storage.sql, now);
  const fillers = signed.flatMap(([nonce, filler]) => {
    if (filler instanceof KmsFault || signer.isCompromised) return [];
    // Blocks include only one transaction per nonce, so a further filler for a nonce adds only the difference.
    const added = Math.max(0, filler.maxCost - (counted.get(nonce) ?? 0));
    return batch.take(SIGNER, true, added) ? [{ filler, nonce, added }] : [];
  });
  spending.change(SIGNER, now, () =>
    commit(signer, () => {
      storage.sql.exec('DELETE FROM gap_filler WHERE cost_day < ?', dayOf(now));
      for (const { nonce, added } of fillers) {
        if (added === 0) continue;
        storage.sql.exec(
          `INSERT INTO gap_filler (nonce, cost, cost_day) VALUES (?1, ?2, ?3)
           ON CONFLICT (nonce) DO UPDATE SET cost = cost + ?2`,
          nonce,
          added,
          dayOf(now),
        );
      }
      return fillers.reduce((sum, { added }) => sum + added, 0);
    }),
  );
  if (fillers.length === 0) return;
  log('signer.nonces_filled', { signer: name, nonces: fillers.map(({ nonce }) => nonce) });
  await chain.broadcast(fillers.map(({ filler }) => ({ signed: filler })));
}

/** Returns the maximum cost of today's fillers, by nonce. */
function costsToday(sql: SqlStorage, now: Milliseconds): ReadonlyMap<number, NanoCoins> {
  const query = 'SELECT nonce, cost FROM gap_filler WHERE cost_day = ?';
  return new Map(
    sql
      .exec<{ nonce: number; cost: number }>(query, dayOf(now))
      .toArray()
      .map(({ nonce, cost }) => [nonce, cost]),
  );
}
