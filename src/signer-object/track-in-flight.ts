import type { InclusionStatus, InFlightTransaction } from '../chain/port.ts';
import { log, logFault } from '../log/log.ts';
import { commit } from './commit.ts';
import { requeue } from './requeue.ts';
import type { Signer } from './signer.ts';
import { type InFlightStage, newestConfirmedSteps, type Served, type StepEntry, stepsInFlight } from './step-table.ts';
import { addToTotals, type Growth, noGrowth } from './totals.ts';
import * as transitions from './transitions.ts';

/**
 * Maximum number of transactions of a stage that one run tracks. The oldest come first, so the window moves as they become
 * final.
 */
export const TRACK_MAX_TRANSACTIONS = 1_000;
/**
 * Maximum number of confirmed transactions in the highest blocks that a run tracks in addition. A reorg removes the newest
 * first, and the next run finds the ones before them. On Ethereum-type networks they cost no call. On Solana, one call takes
 * this many.
 */
const TRACK_NEWEST_TRANSACTIONS = 256;
/** All stages of steps in flight. */
export const ALL_STAGES: readonly InFlightStage[] = ['unsent', 'sent', 'confirmed'];
/** The stages whose outcome a request may wait for. */
export const UNCONFIRMED_STAGES: readonly InFlightStage[] = ['unsent', 'sent'];
/** Delay before an expired step is signed again: the cause of the expiry may persist. */
const EXPIRED_RETRY_MS = 2_000;

/**
 * Asks the chain what became of the transactions in these stages, and records the answers. Returns how many of them had
 * been confirmed before. Throws RpcFault if the nodes fail.
 */
export async function trackInFlight(signer: Signer, statuses = ALL_STAGES): Promise<number> {
  const { name, storage, network, chain } = signer;
  const entries = statuses.flatMap((status) => entriesToTrack(storage.sql, network, status));
  if (entries.length === 0) return 0;
  const tracked = await chain.track(entries.map(transactionInFlightOf));
  commit(signer, () => {
    const growth = noGrowth();
    for (const [{ entry }, inclusion] of tracked) recordInclusion(signer, entry, inclusion, growth);
    addToTotals(storage, growth);
  });
  const unknown = tracked.flatMap(([, inclusion]) => (inclusion.type === 'unknown' ? [inclusion.why] : []));
  if (unknown.length > 0)
    logFault('signer.transactions_unreadable', unknown[0], { signer: name, transactions: unknown.length });
  return entries.filter(({ status }) => status === 'confirmed').length;
}

/** Returns the oldest entries of the stage. If these are not all confirmed ones, it adds the newest confirmed ones. */
function entriesToTrack(sql: SqlStorage, network: Served, status: InFlightStage): StepEntry[] {
  const oldest = stepsInFlight(sql, network, status, TRACK_MAX_TRANSACTIONS);
  if (status !== 'confirmed' || oldest.length < TRACK_MAX_TRANSACTIONS) return oldest;
  const known = new Set(oldest.map(({ seq }) => seq));
  const newest = newestConfirmedSteps(sql, network, TRACK_NEWEST_TRANSACTIONS);
  return [...oldest, ...newest.filter(({ seq }) => !known.has(seq))];
}

function transactionInFlightOf(entry: StepEntry): InFlightTransaction & { readonly entry: StepEntry } {
  const { step, signed, nonce, includedIn } = entry;
  const heights = signed.flatMap(({ lastValidBlockHeight }) => lastValidBlockHeight ?? []);
  return {
    entry,
    step,
    includedIn,
    nonce,
    signedAtMs: signed.at(-1)?.signedAtMs,
    identifiers: signed.map(({ identifier }) => identifier),
    // If one transaction has no last height, the step has none either.
    lastValidBlockHeight: heights.length === signed.length ? Math.max(...heights) : undefined,
  };
}

function recordInclusion(signer: Signer, entry: StepEntry, inclusion: InclusionStatus, growth: Growth): void {
  const { sql } = signer.storage;
  const { seq, step } = entry;
  switch (inclusion.type) {
    case 'still-included':
    case 'unknown':
      return;
    case 'unconfirmed':
      if (entry.status !== 'confirmed') return;
      log('signer.transaction_vanished', { signer: signer.name, step: step.id });
      if (transitions.setVanished(sql, seq, transactionOf(entry), Date.now())) growth.reorged += 1;
      return;
    case 'confirmed': {
      const { identifier: transaction, includedIn } = inclusion;
      // Another block includes the transaction: the earlier one left the chain.
      if (entry.status === 'confirmed') growth.reorged += 1;
      countConfirmation(entry, growth);
      const { expectedOnChain, basedOnNonFinal } =
        entry.signed.find(({ identifier }) => identifier === transaction) ?? {};
      // An earlier release stored no expected state. It handled no frozen tokens, so the state is ACTIVE.
      const onChain = { ...(expectedOnChain ?? { state: 'ACTIVE', expiry: step.expiry }), asOf: includedIn.block };
      return transitions.setConfirmed(
        sql,
        seq,
        { type: 'confirmed', transaction, onChain, basedOnNonFinal },
        includedIn,
      );
    }
    case 'expired':
      log('signer.transaction_expired', { signer: signer.name, step: step.id });
      if (wasConfirmed(entry)) return transitions.setEnded(signer, entry, { type: 'withdrawn' });
      return requeue(signer, entry, { from: Date.now() + EXPIRED_RETRY_MS, asOf: inclusion.asOf });
    case 'without-effect':
      log('signer.transaction_without_effect', {
        signer: signer.name,
        step: step.id,
        transaction: inclusion.identifier,
      });
      if (wasConfirmed(entry)) return transitions.setEnded(signer, entry, { type: 'withdrawn' });
      return requeue(signer, entry, { from: 0, withoutEffect: true });
    case 'final':
      return transitions.setFinal(signer, entry, Date.now(), inclusion.cost);
  }
}

/** Counts a step once, also if its block changes or leaves the chain. */
function countConfirmation(entry: StepEntry, growth: Growth): void {
  if (wasConfirmed(entry)) return;
  if (entry.step.kind === 'issue') growth.issued += 1;
  // An earlier release did not store the first signature by itself.
  const signedAtMs = entry.firstSignedAtMs ?? entry.signed[0]?.signedAtMs;
  if (signedAtMs !== undefined) growth.confirmedAfter.push(Math.max(0, Date.now() - signedAtMs) / 1000);
}

/** Whether the pass has received a confirmation. The pass has continued since, so only the pass may request the step again. */
function wasConfirmed({ answer: { status } }: StepEntry): boolean {
  return status.type === 'confirmed' || status.type === 'vanished';
}

/** Returns the transaction that the last answer named. */
function transactionOf({ answer: { status }, signed }: StepEntry): string {
  return 'transaction' in status ? status.transaction : (signed.at(-1)?.identifier ?? '');
}
