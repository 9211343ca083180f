import type { InclusionStatus, InFlightTransaction } from '../chain/port.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { SECOND_MS } from '../lib/time.ts';
import { log, logFault } from '../log/log.ts';
import type { OnChain } from '../pass/pass.ts';
import type { StepStatus } from '../pass/step.ts';
import { describeReason, type Reason, reasonRow, STEP_MAX_NONCES } from '../pass/wait-reasons.ts';
import { commit } from './commit.ts';
import type { Signer } from './signer.ts';
import { costCorrection } from './step-cost.ts';
import { newestConfirmedSteps } from './step-queries.ts';
import type { InFlightStage, StepEntry } from './step-row.ts';
import { addToTotals, type Growth, noGrowth } from './totals.ts';

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
/** Number of transactions of a step that blocks include without effect before the step fails. */
export const MAX_INEFFECTIVE_ATTEMPTS = 3;
/** Why a step is held at first. */
const HELD: Reason = { code: 'held', detail: describeReason({ code: 'effect-not-shown' }) };
/** Delay before an expired step is signed again: the cause of the expiry may persist. */
export const EXPIRED_RETRY_MS = 2 * SECOND_MS;

/**
 * Asks the chain what became of the transactions in these stages, and records the answers. Returns how many of them had
 * been confirmed before. Throws RpcFault if the nodes fail.
 */
export async function trackInFlight(signer: Signer, stages = ALL_STAGES): Promise<number> {
  const { storage, chain } = signer;
  const entries = stages.flatMap((stage) => entriesToTrack(signer, stage));
  if (entries.length === 0) return 0;
  const tracked = await chain.track(entries.map(transactionInFlightOf));
  commit(signer, () => {
    const growth = noGrowth();
    for (const [{ entry }, inclusion] of tracked) recordInclusion(signer, entry, inclusion, growth);
    addToTotals(storage, growth);
  });
  return entries.filter(({ stage }) => stage === 'confirmed').length;
}

/** Returns the oldest entries of the stage. If these are not all confirmed ones, it adds the newest confirmed ones. */
function entriesToTrack({ storage, network, steps }: Signer, stage: InFlightStage): StepEntry[] {
  const oldest = steps.inFlight(stage, TRACK_MAX_TRANSACTIONS);
  if (stage !== 'confirmed' || oldest.length < TRACK_MAX_TRANSACTIONS) return oldest;
  const known = new Set(oldest.map(({ step }) => step.id));
  const newest = newestConfirmedSteps(storage.sql, network, TRACK_NEWEST_TRANSACTIONS);
  return [...oldest, ...newest.filter(({ step }) => !known.has(step.id))];
}

function transactionInFlightOf(entry: StepEntry): InFlightTransaction & { readonly entry: StepEntry } {
  const { step, signed, nonce, includedIn } = entry;
  const heights = signed.flatMap(({ lastValidBlockHeight }) => lastValidBlockHeight ?? []);
  return {
    entry,
    step,
    includedIn,
    nonce,
    signedAtMs: Math.max(...signed.map(({ signedAtMs }) => signedAtMs)),
    identifiers: signed.map(({ identifier }) => identifier),
    // If one transaction has no last height, the step has none either.
    lastValidBlockHeight: heights.length === signed.length ? Math.max(...heights) : undefined,
  };
}

function recordInclusion(signer: Signer, entry: StepEntry, inclusion: InclusionStatus, growth: Growth): void {
  const { steps, name, withheld } = signer;
  const { step } = entry;
  const now = Date.now();
  if (inclusion.type !== 'unknown') withheld.delete(step.id);
  switch (inclusion.type) {
    case 'still-included':
      return;
    case 'unknown':
      withheld.set(step.id, { since: now, ...withheld.get(step.id), why: inclusion.why });
      return;
    case 'unconfirmed':
      if (entry.stage !== 'confirmed') return;
      log('signer.transaction_vanished', { signer: name, step: step.id });
      if (steps.setVanished(entry, transactionOf(entry), now)) growth.reorged += 1;
      return;
    case 'confirmed':
      // Another block includes the transaction: the earlier one left the chain.
      if (entry.stage === 'confirmed') growth.reorged += 1;
      countConfirmation(entry, growth);
      return steps.setConfirmed(entry, confirmedStatus(entry, inclusion), inclusion.includedIn);
    case 'expired':
      log('signer.transaction_expired', { signer: name, step: step.id });
      return endOrRequeue(signer, entry, { from: now + EXPIRED_RETRY_MS, asOf: inclusion.asOf }, now);
    case 'without-effect':
      log('signer.transaction_without_effect', { signer: name, step: step.id, transaction: inclusion.identifier });
      return endOrRequeue(signer, entry, { from: 0, withoutEffect: true }, now);
    case 'final':
      return steps.setFinal(entry, now, inclusion.cost);
  }
}

function confirmedStatus(
  { signed, step }: StepEntry,
  { identifier: transaction, includedIn }: InclusionStatus & { readonly type: 'confirmed' },
): StepStatus {
  const found = signed.find(({ identifier }) => identifier === transaction);
  if (found === undefined) throw new Error(`the step ${step.id} has no transaction ${transaction}`);
  const { expectedOnChain, basedOnNonFinal } = found;
  return { type: 'confirmed', transaction, onChain: { ...expectedOnChain, asOf: includedIn.block }, basedOnNonFinal };
}

interface Requeueing {
  /** Earliest time at which the step is prepared again. */
  readonly from: Milliseconds;
  /** Oldest block on which the step may be prepared. */
  readonly asOf?: number;
  /** Whether a final block includes its transaction, without the effect of the step. */
  readonly withoutEffect?: boolean;
}

/** The transactions of the step no longer count. If its pass has received a confirmation, only the pass may request it again. */
export function endOrRequeue(signer: Signer, entry: StepEntry, requeueing: Requeueing, now: Milliseconds): void {
  if (wasConfirmed(entry)) signer.steps.setEnded(entry, { type: 'withdrawn' }, now);
  else requeue(signer, entry, requeueing, now);
}

/**
 * Makes the step wait again: the signer signs it at a new nonce, at most twice. Then it holds the step for the operator: an
 * endpoint that hides the transactions could otherwise cause endless signatures. It still prepares a held step from time to
 * time, because the chain may show its effect later.
 */
export function requeue(
  signer: Signer,
  entry: StepEntry,
  { from, asOf = 0, withoutEffect = false }: Requeueing,
  now: Milliseconds = Date.now(),
): void {
  const { steps, name } = signer;
  const { step, nonce } = entry;
  // On a chain without nonces, the expired transactions count. Their number raises the price.
  const noncesGivenUp = entry.noncesGivenUp + (nonce === undefined && withoutEffect ? 0 : 1);
  const ineffectiveAttempts = entry.ineffectiveAttempts + (withoutEffect ? 1 : 0);
  // After enough attempts without effect, the step is prepared once more and then fails by itself, so it is not held.
  const isAtLimit = nonce !== undefined && noncesGivenUp >= STEP_MAX_NONCES;
  const isHeld = isAtLimit && ineffectiveAttempts < MAX_INEFFECTIVE_ATTEMPTS;
  const reason = isHeld ? HELD : undefined;
  const isRequeued = steps.requeue(
    entry,
    {
      // A final block includes the transaction without effect, so its nonce is final.
      nonce: withoutEffect ? undefined : nonce,
      notBefore: reason === undefined ? from : now + reasonRow(reason.code).from,
      reason,
      noncesGivenUp,
      ineffectiveAttempts,
      known: { state: 'NONE', ...step.known, asOf: Math.max(asOf, step.known?.asOf ?? 0) } satisfies OnChain,
      // No block includes an expired transaction, so it cost nothing.
      correction: withoutEffect ? 0 : costCorrection(entry, 0, now),
    },
    now,
  );
  if (isRequeued && reason !== undefined)
    logFault('signer.step_held', describeReason(reason), {
      signer: name,
      step: step.id,
      nonces_given_up: noncesGivenUp,
    });
}

/** Counts a step once, also if its block changes or leaves the chain. */
export function countConfirmation(entry: StepEntry, growth: Growth): void {
  if (wasConfirmed(entry)) return;
  if (entry.step.kind === 'issue') growth.issued += 1;
  const { firstSignedAtMs } = entry;
  if (firstSignedAtMs !== undefined) growth.confirmedAfter.push(Math.max(0, Date.now() - firstSignedAtMs) / 1000);
}

/** Whether the pass has received a confirmation. The pass has continued since, so only the pass may request the step again. */
function wasConfirmed({ answer: { status } }: StepEntry): boolean {
  return status.type === 'confirmed' || status.type === 'vanished';
}

/** Returns the transaction that the last answer named. */
function transactionOf({ answer: { status }, signed }: StepEntry): string {
  return 'transaction' in status ? status.transaction : (signed.at(-1)?.identifier ?? '');
}
