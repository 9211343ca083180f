import type { Pairs } from '../chain/pairs.ts';
import type { BroadcastResult } from '../chain/port.ts';
import { backoff } from '../lib/backoff.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { log } from '../log/log.ts';
import type { Step } from '../pass/step.ts';
import { currentPause, pauseSigner, resumeSigner } from './pause.ts';
import type { Signer } from './signer.ts';
import { type StepEntry, stepsInFlight } from './step-table.ts';
import type { StoredTransaction } from './stored-names.ts';
import { postpone, setSent } from './transitions.ts';

/** Maximum number of transactions in one rebroadcast. */
const REBROADCAST_MAX_TRANSACTIONS = 1_000;
const RETRY_MIN_MS = 2_000;
const RETRY_MAX_MS = 60_000;

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
  const { chain, storage } = signer;
  const results = await chain.broadcast(outgoing);
  const accepted = results.flatMap(([sent, { type }]) => (type === 'accepted' ? [sent] : []));
  for (const { entry, signed } of accepted) setSent(storage.sql, entry, signed.identifier);
  for (const [{ entry }, result] of results) {
    if (result.type === 'accepted') continue;
    const until = Date.now() + backoff(RETRY_MIN_MS, entry.tries, RETRY_MAX_MS);
    postpone(storage.sql, entry.seq, until, result.why);
  }
  const canPay = applyFailures(signer, results);
  // `prepare` may have just paused the signer because of other steps of the batch: keep that pause.
  if (canPay && accepted.length > 0 && !currentPause(storage, Date.now())) resumeSigner(storage);
  return accepted.map(({ entry }) => entry.step);
}

/** Logs refused transactions, and pauses the signer if its account cannot pay. Returns whether it can pay. */
export function applyFailures(signer: Signer, results: Pairs<unknown, BroadcastResult>): boolean {
  const failures = results.flatMap(([, result]) => (result.type === 'accepted' ? [] : [result]));
  const refused = failures.filter(({ code }) => code === 'broadcast-refused');
  if (refused.length > 0)
    log('signer.broadcast_refused', { signer: signer.name, transactions: refused.length, reason: refused[0]?.detail });
  const unpaid = failures.find(({ code }) => code === 'no-funds');
  if (unpaid !== undefined) pauseSigner(signer, unpaid.why);
  return unpaid === undefined;
}

/**
 * Sends accepted transactions again, because nodes forget transactions. It ignores the answers: the chain shows what
 * became of the transactions.
 * @param before Sends only transactions that were signed before this time.
 */
export async function rebroadcast(
  { storage, network, chain }: Signer,
  before: Milliseconds = Number.POSITIVE_INFINITY,
): Promise<void> {
  const all = newestTransactions(stepsInFlight(storage.sql, network, 'sent', REBROADCAST_MAX_TRANSACTIONS));
  const sent = all.filter(({ signed: { signedAtMs = 0 } }) => signedAtMs < before);
  if (sent.length > 0) await chain.broadcast(sent);
}
