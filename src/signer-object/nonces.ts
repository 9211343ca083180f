import { KmsFault, type Nonces, type Signed } from '../chain/port.ts';
import type { Milliseconds, NanoCoins } from '../lib/brand.ts';
import { log } from '../log/log.ts';
import { stuckAfterMs } from '../network/network.ts';
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

/** A filler as it is stored. */
interface Filler extends Signed {
  readonly signedAtMs: Milliseconds;
}

/** The filler of a nonce, as far as its row says. */
interface FillerEntry {
  /** Its maximum cost, if it counts for today (UTC), and 0 otherwise. */
  readonly cost: NanoCoins;
  /** Undefined: an earlier release has stored it. */
  readonly filler: Filler | undefined;
}

/**
 * Fills nonces that have no transaction, because later transactions wait for them. It ignores the nodes' answers: if a node
 * already has a transaction for the nonce, or the nonce is used, the gap is closed as well. A filler that has waited for long is replaced
 * with one that pays more, and any other is sent again. It fills no nonce whose cost would exceed a ceiling.
 */
export async function fillNonceGaps(signer: Signer, nonces: readonly number[], now: Milliseconds): Promise<void> {
  const { name, storage, network, chain, spending } = signer;
  if (nonces.length === 0) return;
  const batch = spending.openBatch(now);
  const stored = fillersOf(storage.sql, now);
  const newest = new Map(
    nonces.flatMap((nonce) => {
      const filler = stored.get(nonce)?.filler;
      return filler ? [[nonce, filler] as const] : [];
    }),
  );
  const isStuck = (nonce: number) => now - (newest.get(nonce)?.signedAtMs ?? 0) >= stuckAfterMs(network);
  const earlier = new Map([...newest].map(([nonce, { bytes }]) => [nonce, bytes]));
  const signed = await chain.signGapFillers(nonces.filter(isStuck), earlier);
  pauseOnKmsFault(signer, signed, now);
  if (signer.isCompromised) return;
  const fillers = signed.flatMap(([nonce, filler]) => {
    if (filler instanceof KmsFault) return [];
    // Blocks include only one transaction per nonce, so a further filler for a nonce adds only the difference.
    const counted = stored.get(nonce)?.cost ?? 0;
    const added = Math.max(0, filler.maxCost - counted);
    if (!batch.take(SIGNER, true, added)) return [];
    return [{ nonce, added, cost: counted + added, filler: { ...filler, signedAtMs: now } satisfies Filler }];
  });
  spending.change(SIGNER, now, () =>
    commit(signer, () => {
      const day = dayOf(now);
      // The nonces below are used.
      storage.sql.exec('DELETE FROM gap_filler WHERE cost_day < ? AND nonce < ?', day, Math.min(...nonces));
      for (const { nonce, cost, filler } of fillers) {
        const insert = 'INSERT OR REPLACE INTO gap_filler (nonce, cost, cost_day, signed) VALUES (?, ?, ?, ?)';
        storage.sql.exec(insert, nonce, cost, day, JSON.stringify(filler));
      }
      return fillers.reduce((sum, { added }) => sum + added, 0);
    }),
  );
  if (fillers.length > 0) log('signer.nonces_filled', { signer: name, nonces: fillers.map(({ nonce }) => nonce) });
  for (const { nonce, filler } of fillers) newest.set(nonce, filler);
  if (newest.size > 0) await chain.broadcast([...newest.values()].map((filler) => ({ signed: filler })));
}

function fillersOf(sql: SqlStorage, now: Milliseconds): ReadonlyMap<number, FillerEntry> {
  const query = 'SELECT nonce, iif(cost_day = ?, cost, 0) AS cost, signed FROM gap_filler';
  const rows = sql.exec<{ nonce: number; cost: number; signed: string | null }>(query, dayOf(now)).toArray();
  return new Map(
    rows.map(({ nonce, cost, signed }) => [nonce, { cost, filler: signed === null ? undefined : JSON.parse(signed) }]),
  );
}
