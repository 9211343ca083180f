import type { Milliseconds, NanoCoins } from '../lib/brand.ts';
import { log } from '../log/log.ts';
import type { Signer } from './signer.ts';
import { dayOf } from './spending.ts';

/**
 * Fills nonces that have no transaction, because later transactions wait for them. It ignores the nodes' answers: if a node
 * already has a transaction for the nonce, or the nonce is used, the gap is closed as well. It fills no nonce whose cost
 * would exceed a ceiling.
 */
export async function fillNonceGaps(
  { name, storage, chain, spending }: Signer,
  nonces: readonly number[],
  now: Milliseconds,
): Promise<void> {
  if (nonces.length === 0) return;
  const batch = spending.openBatch(now);
  const signed = await chain.signGapFillers(nonces);
  const counted = costsToday(storage.sql, now);
  const fillers = signed.flatMap((filler) => {
    // Blocks include only one transaction per nonce, so a further filler for a nonce adds only the difference.
    const added = Math.max(0, (filler.maxCost ?? 0) - (counted.get(filler.nonce) ?? 0));
    return batch.take(undefined, true, added) ? [{ filler, added }] : [];
  });
  spending.change(undefined, now, () =>
    storage.transactionSync(() => {
      storage.sql.exec('DELETE FROM gap_filler WHERE cost_day < ?', dayOf(now));
      for (const { filler, added } of fillers) {
        if (added === 0) continue;
        storage.sql.exec(
          `INSERT INTO gap_filler (nonce, cost, cost_day) VALUES (?1, ?2, ?3)
           ON CONFLICT (nonce) DO UPDATE SET cost = cost + ?2`,
          filler.nonce,
          added,
          dayOf(now),
        );
      }
      return fillers.reduce((sum, { added }) => sum + added, 0);
    }),
  );
  if (fillers.length === 0) return;
  log('signer.nonces_filled', { signer: name, nonces: fillers.map(({ filler }) => filler.nonce) });
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
