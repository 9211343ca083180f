import { type FinalNonce, KmsFault, type Nonces, type Signed } from '../chain/port.ts';
import { backoff, MINUTE_MS, type Milliseconds, type NanoCoins } from '../lib/units.ts';
import { log, logFault } from '../log/log.ts';
import { type Network, stuckAfterMs, urgentRoomOf } from '../network/network.ts';
import type { Step } from '../pass/step.ts';
import { STEP_KINDS } from '../pass/step-kinds.ts';
import type { Reason } from '../pass/wait-reasons.ts';
import { SIGNER } from './lanes.ts';
import {
  CLOCK_SKEW_MS,
  EARLIER_STORE,
  type EarlierStore,
  earlierStoreOf,
  newestTransactions,
  type StepEntry,
  type StoredTransaction,
  UNCONFIRMED_STAGES,
} from './schema.ts';
import { applyFailures, pauseOnKmsFault, type Signer, waitsForKms } from './signer.ts';
import { addedCost, dayOf } from './spending.ts';

/**
 * Recovers transactions that no block includes: nodes forget them, their price is too low, or a nonce before them is unused,
 * also because the store that signed for it was lost.
 */

/** Maximum number of transactions per stage that one try handles, the oldest first. */
const MAX_TRANSACTIONS = 1_000;
/** Longest delay between two raises. The delay grows, because the price may not be the reason. */
const REPLACE_MAX_MS = 15 * MINUTE_MS;
/**
 * Maximum number of nonces that the signer follows a node beyond the nonces that it knows to be used. If the node lied, the
 * signer must fill that many.
 */
export const NONCES_MAX_AHEAD = 16;

const PENDING = 'eth_getTransactionCount does not show the pending transactions of the key';

/**
 * Sends accepted transactions again, because nodes forget transactions. It ignores the answers: the chain shows what
 * became of the transactions.
 * @param before Sends only transactions that were signed before this time.
 */
export async function rebroadcast(
  { steps, chain }: Signer,
  before: Milliseconds = Number.POSITIVE_INFINITY,
): Promise<void> {
  const all = newestTransactions(steps.inFlight('sent', MAX_TRANSACTIONS));
  const sent = all.filter(({ signed: { signedAtMs } }) => signedAtMs < before);
  if (sent.length > 0) await chain.broadcast(sent);
}

/**
 * Frees transactions that have been in no block for long (see `stuckAfterMs`). It fills the gaps before them and the nonces
 * that steps gave up. It replaces the stuck transactions that wait for no gap with ones that pay more. Throws RpcFault if
 * the nodes fail; the signer then sends stored replacements like any other transaction. `now` in milliseconds.
 */
export async function unstickTransactions(signer: Signer, now: Milliseconds): Promise<void> {
  const { network, chain, isCompromised, steps } = signer;
  if (isCompromised) return;
  await releaseFinalNonces(signer, now);
  // A KMS that does not sign would only delay the tracking.
  if (waitsForKms(signer, now)) return;
  const unmined = UNCONFIRMED_STAGES.flatMap((stage) => steps.inFlight(stage, MAX_TRANSACTIONS));
  const stuck = unmined.flatMap((entry) => findStuck(entry, signer, now));
  const requeued = steps.requeued().flatMap(({ nonce }) => nonce ?? []);
  if (stuck.length === 0 && requeued.length === 0) return;
  const { nonces } = await chain.account();
  if (nonces === undefined) return;
  // A nonce that a step gave up is used by now, or needs a filler.
  const ours = [...unmined.map(({ nonce = 0 }) => nonce), ...requeued.map((nonce) => nonce + 1)];
  // The signer never goes this far ahead (see `nextNonce`): the node lies, lied at the first start, or is behind.
  if (Math.min(...ours) - nonces.latest > NONCES_MAX_AHEAD) {
    return logFault(
      'signer.nonces_apart',
      'the nonce of the oldest transaction is too far ahead of the count of the node: compare the endpoints',
      { signer: signer.name },
    );
  }
  // Bound the range that is searched and filled.
  const gap = steps.unusedNonces(nonces.latest, Math.min(Math.max(...ours), nonces.latest + network.unmined));
  await fillNonceGaps(signer, gap, now);
  const [end = Number.POSITIVE_INFINITY] = gap;
  const missed = await missedByBlocks(stuck, signer, now);
  await replaceStuck(
    signer,
    missed.filter(({ nonce }) => nonce >= nonces.latest && nonce < end).toSorted((a, b) => a.nonce - b.nonce),
    unmined.some(({ step }) => STEP_KINDS[step.kind].mayUseReserve) || steps.lanes.mayUseReserve(),
    now,
  );
}

/**
 * Frees the steps that gave up a nonce below the final one, so that the signer may sign them again. If the nodes fail, it logs
 * that and frees none.
 */
export async function releaseFinalNonces({ name, steps, chain }: Signer, now: Milliseconds): Promise<void> {
  if (steps.requeued().length === 0) return;
  let final: FinalNonce | undefined;
  try {
    final = await chain.finalNonce();
  } catch (fault) {
    return logFault('signer.nonces_unread', fault, { signer: name });
  }
  if (final === undefined) return;
  const released = steps.releaseNonces(final.nonce, now);
  if (released > 0) log('signer.nonces_final', { signer: name, below: final.nonce });
}

interface Stuck {
  readonly entry: StepEntry;
  readonly step: Step;
  readonly nonce: number;
  /** The newest transaction of the step. */
  readonly signed: StoredTransaction;
}

function findStuck(entry: StepEntry, { network }: Signer, now: Milliseconds): Stuck[] {
  const { nonce } = entry;
  const signed = entry.signed.at(-1);
  if (nonce === undefined || signed === undefined) return [];
  const isStuck = now - signed.signedAtMs >= patienceMs(network, entry.signed.length - 1);
  return isStuck ? [{ entry, step: entry.step, nonce, signed }] : [];
}

/** Returns how long a transaction may wait that has been replaced that many times. */
function patienceMs(network: Network, raises: number): Milliseconds {
  const after = stuckAfterMs(network);
  return backoff(after, raises, Math.max(after, REPLACE_MAX_MS));
}

/** Returns the ones that enough blocks could have included. On a chain that is slower than usual, the price is not the reason. */
async function missedByBlocks(
  stuck: readonly Stuck[],
  { network, chain }: Signer,
  now: Milliseconds,
): Promise<Stuck[]> {
  if (stuck.length === 0 || chain.readBlockMs === undefined) return [...stuck];
  const after = stuckAfterMs({ ...network, blockMs: await chain.readBlockMs() });
  return stuck.filter(({ signed }) => now - signed.signedAtMs >= after);
}

/**
 * Replaces stuck transactions with ones that pay more.
 * @param mayUseReserve Whether a revocation waits behind them: a block includes it only after all transactions before it.
 */
async function replaceStuck(
  signer: Signer,
  stuck: readonly Stuck[],
  mayUseReserve: boolean,
  now: Milliseconds,
): Promise<void> {
  if (stuck.length === 0) return;
  const { name, chain, spending, steps } = signer;
  const replaced = await chain.replaceTransactions(stuck);
  pauseOnKmsFault(signer, replaced, now);
  const batch = spending.openBatch(now);
  const stored = steps.commit(() =>
    replaced.flatMap(([{ entry, signed: old }, signed]) => {
      if (signed === undefined || signed instanceof KmsFault || signer.isCompromised) return [];
      const replacement = { ...old, ...signed, signedAtMs: now };
      const { key } = entry.step;
      const isAffordable = batch.take(key.gatekeeperNetwork, mayUseReserve, addedCost(entry, replacement, now));
      return isAffordable && steps.storeReplacement(entry, replacement, now) ? [{ signed }] : [];
    }),
  );
  const unsigned = replaced.filter(([, signed]) => signed instanceof KmsFault).length;
  const left = replaced.length - stored.length - unsigned;
  if (stored.length > 0) log('signer.transactions_replaced', { signer: name, transactions: stored.length });
  if (left > 0)
    log('signer.transactions_stuck', {
      signer: name,
      transactions: left,
      reason: 'a higher price is not allowed, cannot be paid, is beyond a daily ceiling, or would not help',
    });
  // If the nodes refuse a replacement, the transaction before it still waits, and every rebroadcast sends the replacement.
  if (stored.length > 0) applyFailures(signer, await chain.broadcast(stored));
}

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
  /** Number of fillers of the nonce before it. */
  readonly raises: number;
}

/** The filler of a nonce. */
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
  const { name, storage, network, chain, spending, steps } = signer;
  if (nonces.length === 0) return;
  const batch = spending.openBatch(now);
  const stored = fillersOf(storage.sql, now);
  const newest = new Map(
    nonces.flatMap((nonce) => {
      const filler = stored.get(nonce)?.filler;
      return filler ? [[nonce, filler] as const] : [];
    }),
  );
  const isStuck = (nonce: number) => {
    const { signedAtMs = 0, raises = 0 } = newest.get(nonce) ?? {};
    return now - signedAtMs >= patienceMs(network, raises);
  };
  const earlier = new Map([...newest].map(([nonce, { bytes }]) => [nonce, bytes]));
  const signed = await chain.signGapFillers(nonces.filter(isStuck), earlier);
  pauseOnKmsFault(signer, signed, now);
  if (signer.isCompromised) return;
  const fillers = signed.flatMap(([nonce, filler]) => {
    if (filler instanceof KmsFault) return [];
    // Blocks include only one transaction per nonce, so a further filler for a nonce adds only the difference.
    if (!batch.take(SIGNER, true, Math.max(0, filler.maxCost - (stored.get(nonce)?.cost ?? 0)))) return [];
    const raises = (newest.get(nonce)?.raises ?? -1) + 1;
    return [{ nonce, filler: { ...filler, signedAtMs: now, raises } satisfies Filler }];
  });
  const kept: typeof fillers = [];
  spending.change(SIGNER, now, () =>
    steps.commit(() => {
      const day = dayOf(now);
      // The nonces below are used.
      storage.sql.exec('DELETE FROM gap_filler WHERE cost_day < ? AND nonce < ?', day, Math.min(...nonces));
      const current = fillersOf(storage.sql, now);
      return fillers.reduce((sum, { nonce, filler }) => {
        const { cost: before = 0, filler: other } = current.get(nonce) ?? {};
        // Another run has filled the same nonce while a KMS signed.
        if (other?.bytes !== newest.get(nonce)?.bytes) return sum;
        kept.push({ nonce, filler });
        // The data of a rollup may have become cheaper since, and a block may still include the dearer one.
        const cost = Math.max(before, filler.maxCost);
        const insert = 'INSERT OR REPLACE INTO gap_filler (nonce, cost, cost_day, signed) VALUES (?, ?, ?, ?)';
        storage.sql.exec(insert, nonce, cost, day, JSON.stringify(filler));
        return sum + cost - before;
      }, 0);
    }),
  );
  if (kept.length > 0) log('signer.nonces_filled', { signer: name, nonces: kept.map(({ nonce }) => nonce) });
  for (const { nonce, filler } of kept) newest.set(nonce, filler);
  if (newest.size > 0) await chain.broadcast([...newest.values()].map((filler) => ({ signed: filler })));
}

function fillersOf(sql: SqlStorage, now: Milliseconds): ReadonlyMap<number, FillerEntry> {
  const query = 'SELECT nonce, iif(cost_day = ?, cost, 0) AS cost, signed FROM gap_filler';
  const rows = sql.exec<{ nonce: number; cost: number; signed: string | null }>(query, dayOf(now)).toArray();
  return new Map(
    rows.map(({ nonce, cost, signed }) => [nonce, { cost, filler: signed === null ? undefined : JSON.parse(signed) }]),
  );
}

/**
 * Fills the free nonces among those that the earlier store can have used. Once all of these nonces are final, makes the
 * postponed issuances due. Only one run at a time may call it, because it changes the next nonce.
 */
export async function finishEarlierStore(signer: Signer, now: Milliseconds): Promise<void> {
  const { storage, network, chain, name, steps } = signer;
  const earlier = earlierStoreOf(storage.kv);
  if (!earlier?.isAwaited) return;
  try {
    const final = await chain.finalNonce();
    // A block from before this store began may not show all nonces that the earlier store used.
    if (final === undefined || final.time * 1000 < earlier.until + CLOCK_SKEW_MS) return;
    const { endNonce = final.nonce + nonceMaxInFlight(network) } = earlier;
    if (final.nonce < endNonce) return await fillFreeNonces(signer, { ...earlier, endNonce }, now);
    steps.commit(() => {
      storage.kv.delete(EARLIER_STORE);
      steps.endEarlierStoreWaits(now);
    });
    log('signer.earlier_store_final', { signer: name, nonce: endNonce });
  } catch (fault) {
    logFault('signer.earlier_store_unread', fault, { signer: name });
  }
}

/** Returns how many nonces beyond the final one a signer can have used: unmined transactions, and gaps that nodes caused. */
function nonceMaxInFlight(network: Network): number {
  return network.unmined + urgentRoomOf(network) + 2 * NONCES_MAX_AHEAD;
}

async function fillFreeNonces(
  signer: Signer,
  earlier: EarlierStore & { readonly endNonce: number },
  now: Milliseconds,
): Promise<void> {
  const { storage, network, chain, isCompromised, steps } = signer;
  const { endNonce, filledAt = 0 } = earlier;
  storage.kv.put(EARLIER_STORE, earlier);
  if (isCompromised || now - filledAt < stuckAfterMs(network)) return;
  const { nonces } = await chain.account();
  const next = nextNonce(signer, nonces);
  if (nonces === undefined || typeof next !== 'number') return;
  const free = steps.unusedNonces(nonces.latest, endNonce);
  // Store the next nonce before sending: steps that are signed from now on take later nonces.
  storeNextNonce(storage, Math.max(next, endNonce));
  storage.kv.put(EARLIER_STORE, { ...earlier, filledAt: now });
  await fillNonceGaps(signer, free, now);
}
