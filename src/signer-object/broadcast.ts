import type { BroadcastResult, Pairs } from '../chain/port.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { log } from '../log/log.ts';
import type { Step } from '../pass/step.ts';
import { describeReason } from '../pass/wait-reasons.ts';
import { pauseOf, pauseSigner, resumeSigner, type Signer } from './signer.ts';
import type { StepEntry, StoredTransaction } from './step-row.ts';

/** Maximum number of transactions in one rebroadcast. */
const REBROADCAST_MAX_TRANSACTIONS = 1_000;

/** A step and the transaction to broadcast for it. */
export interface Outgoing {
  readonly entry: StepEntry;
  readonly signed: StoredTransaction;
}

/** Returns the newest transaction of each step that has one. */
export function newestTransactions(entries: readonly StepEntry[]): Outgoing[] {
  return entries.flatMap((entry) => entry.signed.slice(-1).map((signed) => ({ entry, signed })));
}

/** Sends stored transactions to the nodes. Postpones refused ones. Returns the steps whose transaction a node accepted. */
export async function broadcastTransactions(signer: Signer, outgoing: readonly Outgoing[]): Promise<Step[]> {
  if (outgoing.length === 0) return [];
  const { chain, steps } = signer;
  const results = await chain.broadcast(outgoing);
  const accepted = results.flatMap(([sent, { type }]) => (type === 'accepted' ? [sent] : []));
  for (const { entry } of accepted) steps.setSent(entry);
  for (const [{ entry }, result] of results) if (result.type === 'not-now') steps.postpone(entry, result, Date.now());
  const canPay = applyFailures(signer, results);
  // `prepare` may have just paused the signer because of other steps of the batch: keep that pause.
  if (canPay && accepted.length > 0 && !pauseOf(signer, Date.now())) resumeSigner(signer);
  return accepted.map(({ entry }) => entry.step);
}

/** Logs refused transactions, and pauses the signer if its account cannot pay. Returns whether it can pay. */
export function applyFailures(signer: Signer, results: Pairs<unknown, BroadcastResult>): boolean {
  const failed = results.flatMap(([, result]) => (result.type === 'not-now' ? [result] : []));
  const unpaid = failed.find(({ code }) => code === 'no-funds');
  const refused = failed.filter(({ code }) => code !== 'no-funds');
  if (refused[0] !== undefined)
    log('signer.broadcast_refused', {
      signer: signer.name,
      transactions: refused.length,
      reason: describeReason(refused[0]),
    });
  if (unpaid !== undefined) pauseSigner(signer, unpaid);
  return unpaid === undefined;
}

/**
 * Sends accepted transactions again, because nodes forget transactions. It ignores the answers: the chain shows what
 * became of the transactions.
 * @param before Sends only transactions that were signed before this time.
 */
export async function rebroadcast(
  { steps, chain }: Signer,
  before: Milliseconds = Number.POSITIVE_INFINITY,
): Promise<void> {
  const all = newestTransactions(steps.inFlight('sent', REBROADCAST_MAX_TRANSACTIONS));
  const sent = all.filter(({ signed: { signedAtMs } }) => signedAtMs < before);
  if (sent.length > 0) await chain.broadcast(sent);
}
