import { type InclusionStatus, type InFlightTransaction, RpcFault } from '../chain/port.ts';
import { type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { log, logFault } from '../log/log.ts';
import type { OnChain } from '../pass/pass.ts';
import { isSatisfied, passIdOf, type StepStatus } from '../pass/step.ts';
import { STEP_KINDS } from '../pass/step-kinds.ts';
import { describeReason, type Reason, reasonRow, STEP_MAX_NONCES } from '../pass/wait-reasons.ts';
import { SIGNER } from './lanes.ts';
import { ALL_STAGES, addToTotals, type Growth, type InFlightStage, noGrowth, type StepEntry } from './schema.ts';
import { type Signer, WITHHELD_AFTER_MS } from './signer.ts';
import { costCorrection } from './spending.ts';
import { lacksOwnSteps, newestConfirmedSteps, stepsOf } from './step-queries.ts';

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
/** Number of transactions of a step that blocks include without effect before the step fails. */
export const MAX_INEFFECTIVE_ATTEMPTS = 3;
/** Why a step is held at first. */
const HELD: Reason = { code: 'held', detail: describeReason({ code: 'effect-not-shown' }) };
/** Delay before an expired step is signed again: the cause of the expiry may persist. */
const EXPIRED_RETRY_MS = 2 * SECOND_MS;
/** Maximum number of steps that one run settles. */
const SETTLE_MAX_STEPS = 100;

/**
 * Asks the chain what became of the transactions in these stages, and records the answers. Returns how many of them had
 * been confirmed before. Throws RpcFault if the nodes fail.
 */
export async function trackInFlight(signer: Signer, stages = ALL_STAGES): Promise<number> {
  const { storage, chain } = signer;
  const entries = stages.flatMap((stage) => entriesToTrack(signer, stage));
  if (entries.length === 0) return 0;
  const tracked = await chain.track(entries.map(transactionInFlightOf));
  signer.steps.commit(() => {
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

/**
 * Makes the step wait again, because its transactions no longer count: the signer signs it at a new nonce, at most twice. Then
 * it holds the step for the operator: an endpoint that hides the transactions could otherwise cause endless signatures. It still
 * prepares a held step from time to time, because the chain may show its effect later. If the pass of the step has received a
 * confirmation, only the pass may request it again.
 */
function endOrRequeue(
  { steps, name }: Signer,
  entry: StepEntry,
  { from, asOf = 0, withoutEffect = false }: Requeueing,
  now: Milliseconds,
): void {
  if (wasConfirmed(entry)) return steps.setEnded(entry, { type: 'withdrawn' }, now);
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
function countConfirmation(entry: StepEntry, growth: Growth): void {
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

/**
 * Ends the steps about whose transactions the nodes withhold something, by the state of their passes in final blocks: of two endpoints,
 * or of the only one. Once the final chain has used the nonce of a step, that state shows whether the step had its effect,
 * whatever the nodes say about its transactions. A step without its effect is signed again. On a chain without nonces, it ends none.
 * Runs must not overlap with tracking. If the nodes do not answer, the next run tries again.
 */
export async function settleWithheld(signer: Signer, now: Milliseconds): Promise<void> {
  const { name, chain, withheld } = signer;
  // Something else has ended these, and what the nodes withheld does not concern the next step of the pass.
  for (const id of withheld.keys()) if (id !== SIGNER && inFlightEntry(signer, id) === undefined) withheld.delete(id);
  const late = [...withheld].filter(([id, { since }]) => id !== SIGNER && now - since >= WITHHELD_AFTER_MS);
  const [fresh] = late.filter(([, { isLogged }]) => !isLogged);
  if (fresh !== undefined)
    logFault('signer.transactions_unreadable', fresh[1].why, { signer: name, transactions: late.length });
  for (const [id, each] of late) withheld.set(id, { ...each, isLogged: true });
  const entries = late.flatMap(([id]) => inFlightEntry(signer, id) ?? []);
  if (entries.every(({ nonce }) => nonce === undefined)) return;
  try {
    const final = await chain.finalNonce();
    if (final === undefined) return;
    const ended = entries.filter(({ nonce = final.nonce }) => nonce < final.nonce).slice(0, SETTLE_MAX_STEPS);
    const asked = ended.map((entry) => ({ entry, ...entry.step }));
    const observed = ended.length === 0 ? [] : await chain.observe(asked);
    signer.steps.commit(() => {
      const growth = noGrowth();
      for (const [{ entry }, { final: shown }] of observed) {
        if (shown !== undefined && (shown.asOf ?? 0) >= final.asOf) settle(signer, entry, shown, growth, now);
        else keep(signer, entry);
      }
      addToTotals(signer.storage, growth);
    });
  } catch (fault) {
    if (!(fault instanceof RpcFault)) throw fault;
    logFault('signer.nonces_unread', fault, { signer: name });
  }
}

/** Returns the entry of a signed step; undefined if it is not in flight. */
function inFlightEntry({ steps }: Signer, id: string): StepEntry | undefined {
  const entry = steps.find(id);
  return entry === undefined || entry.stage === 'waiting' || entry.stage === 'final' ? undefined : entry;
}

/** Puts a step about which nothing is decided behind the others. */
function keep({ withheld }: Signer, { step: { id } }: StepEntry): void {
  const each = withheld.get(id);
  if (each === undefined) return;
  withheld.delete(id);
  withheld.set(id, each);
}

function settle(signer: Signer, entry: StepEntry, final: OnChain, growth: Growth, now: Milliseconds): void {
  const { steps, withheld } = signer;
  if (!hadEffect(signer, entry, final)) {
    // A state from after a burn of the token is not one that the step knows.
    const asOf = final.burnedAt ? final.burnedAt - 1 : (final.asOf ?? 0);
    endOrRequeue(signer, entry, { from: now + EXPIRED_RETRY_MS, asOf }, now);
  } else {
    if (entry.stage !== 'confirmed') {
      countConfirmation(entry, growth);
      // A block includes one of its transactions. Nodes keep the newest one, because it pays most.
      const transaction = entry.signed.at(-1)?.identifier ?? '';
      steps.setConfirmed(entry, { type: 'confirmed', transaction, onChain: final }, { block: final.asOf ?? 0 });
    }
    steps.setFinal(entry, now);
  }
  withheld.delete(entry.step.id);
}

/**
 * Whether the step had its effect, as far as the final state shows. A confirmed step that gives access had it: if the state lacks it,
 * others may have taken the access away, and signing again would give it back. The pass then follows the chain. Of a
 * pass with a later step in flight, the state says nothing about an earlier one.
 */
function hadEffect({ storage: { sql } }: Signer, { step, stage }: StepEntry, final: OnChain): boolean {
  if (stage !== 'confirmed') return isSatisfied(step, final);
  const pass = passIdOf(step.id);
  if (!STEP_KINDS[step.kind].takesAccessAway || !lacksOwnSteps(sql, pass, final)) return true;
  return stepsOf(sql, pass).some(({ status }) => status === 'signed');
}
