import { type FinalNonce, KmsFault } from '../chain/port.ts';
import { backoff } from '../lib/backoff.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { MINUTE_MS } from '../lib/time.ts';
import { log, logFault } from '../log/log.ts';
import { stuckAfterMs } from '../network/network.ts';
import type { Step } from '../pass/step.ts';
import { RESERVE_RANKS, STEP_KINDS } from '../pass/step-kinds.ts';
import { applyFailures } from './broadcast.ts';
import { commit } from './commit.ts';
import { fillNonceGaps, NONCES_MAX_AHEAD } from './nonces.ts';
import { pauseOnKmsFault, type Signer, waitsForKms } from './signer.ts';
import { addedCost } from './step-cost.ts';
import type { StepEntry, StoredTransaction } from './step-row.ts';
import { UNCONFIRMED_STAGES } from './track-in-flight.ts';

/** Two things keep a transaction out of blocks: an unused nonce before it, or a price that is too low. */

/** Maximum number of transactions per stage that one try handles, the oldest first. */
const MAX_TRANSACTIONS = 1_000;
/** Longest delay between two raises. The delay grows, because the price may not be the reason. */
const REPLACE_MAX_MS = 15 * MINUTE_MS;

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
      {
        signer: signer.name,
      },
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
    unmined.some(({ step }) => STEP_KINDS[step.kind].mayUseReserve) || lanesHaveRevocations(signer),
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
  const after = stuckAfterMs(network);
  const patience = backoff(after, entry.signed.length - 1, Math.max(after, REPLACE_MAX_MS));
  return now - signed.signedAtMs >= patience ? [{ entry, step: entry.step, nonce, signed }] : [];
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

/** Whether a revocation may wait for the transactions before it. */
function lanesHaveRevocations({ steps: { lanes } }: Signer): boolean {
  return lanes.inTurn().some((lane) => RESERVE_RANKS.some((rank) => lanes.countOf(lane, rank) > 0));
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
  const stored = commit(signer, () =>
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
