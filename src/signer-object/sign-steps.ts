import type { Pairs } from '../chain/pairs.ts';
import { SigningRefused } from '../chain/port.ts';
import { logFault } from '../log/log.ts';
import { CHAIN_RULES } from '../pass/chain-rules.ts';
import { passIdOf, type Step } from '../pass/step.ts';
import { STEP_KINDS, type StepKind } from '../pass/step-kinds.ts';
import { applyFindings } from './apply-findings.ts';
import type { Outgoing } from './broadcast.ts';
import { commit } from './commit.ts';
import { nextNonce, storeNextNonce } from './nonces.ts';
import { pauseSigner } from './pause.ts';
import { MAX_INEFFECTIVE_ATTEMPTS, resultWhileHeld, type StepResult } from './requeue.ts';
import type { Signer } from './signer.ts';
import { countUnmined, type StepEntry, stepsOf } from './step-table.ts';
import { storeSigned } from './transitions.ts';

interface SignedStep extends Outgoing {
  readonly nonce: number | undefined;
}

/**
 * Prepares the steps, signs at most `room` ready ones, and stores the results. Returns the stored transactions. A ready step
 * beyond `room` or beyond a daily ceiling keeps its place.
 */
export async function signSteps(signer: Signer, entries: readonly StepEntry[], room: number): Promise<Outgoing[]> {
  const { storage, chain } = signer;
  const prepared = await chain.prepare(entries, countUnmined(storage.sql));
  const concluded = prepared.results.map(([entry, result]) => {
    const own = concludeResult(storage.sql, result, entry);
    return [entry, entry.isHeld ? resultWhileHeld(own) : own] as const;
  });
  const first = nextNonce(storage, prepared.nonces);
  if (typeof first === 'object') {
    pauseSigner(signer, first.why);
    return [];
  }
  const { signed, results } = await signReady(signer, concluded, first, room);
  // No `await` in here: bytes and nonces must be stored together, before any transaction is sent.
  commit(signer, () => {
    for (const step of signed) storeSigned(signer, step.entry, step.signed, step.nonce);
    // Advance the counter only for signed transactions. Otherwise a lying node could raise it without end.
    if (first !== undefined && signed.length > 0) storeNextNonce(storage, first + signed.length);
    applyFindings(signer, results);
  });
  return signed;
}

const EARLIER_NOT_FINAL: StepResult = {
  type: 'not-now',
  code: 'earlier-not-final',
  why: 'an earlier transaction of the pass is not final',
  blocks: 'step',
};

/** Returns the result for a step, given the signer's other steps of the pass. */
function concludeResult(sql: SqlStorage, result: StepResult, { step, ineffectiveAttempts }: StepEntry): StepResult {
  if (result.type === 'not-now') return result;
  // While an earlier step is not final, its reorg looks like somebody else's change, and its transaction may come back.
  if (result.type !== 'ready') return hasNonFinalStep(sql, step) ? EARLIER_NOT_FINAL : result;
  // On a chain without an order of transactions, the two could take effect in either order.
  const { transactionsAreOrdered } = CHAIN_RULES[step.key.chain];
  const isOrdered = transactionsAreOrdered || !STEP_KINDS[step.kind].needsOrder;
  if (!isOrdered && hasNonFinalStep(sql, step, step.kind)) return EARLIER_NOT_FINAL;
  // The call succeeds in simulation, but its transactions had no effect. Refuse it only here, after one more reading.
  return ineffectiveAttempts < MAX_INEFFECTIVE_ATTEMPTS
    ? result
    : { type: 'refused', code: 'without-effect', reason: 'its transactions were mined without effect' };
}

/** Whether an earlier step of the pass is signed and not final. `kind` restricts the check to steps of that kind. */
function hasNonFinalStep(sql: SqlStorage, { id }: Step, kind?: StepKind): boolean {
  const earlier = stepsOf(sql, passIdOf(id)).filter((step) => kind === undefined || step.kind === kind);
  return earlier.some(({ status }) => status !== 'waiting' && status !== 'final');
}

/** Signs at most `room` ready calls that the ceilings allow, at nonces from `first` on. A forbidden step is postponed. */
async function signReady(
  { name, storage: { sql }, spending }: Signer,
  concluded: Pairs<StepEntry, StepResult>,
  first: number | undefined,
  room: number,
): Promise<{ signed: SignedStep[]; results: Pairs<StepEntry, StepResult> }> {
  const signed: SignedStep[] = [];
  const batch = spending.openBatch(Date.now());
  const results: (readonly [StepEntry, StepResult])[] = [];
  for (const [entry, result] of concluded) {
    if (result.type !== 'ready') {
      results.push([entry, result]);
      continue;
    }
    const { kind, key } = entry.step;
    const { mayUseReserve } = STEP_KINDS[kind];
    if (signed.length >= room || !batch.take(key.gatekeeperNetwork, mayUseReserve, result.maxCost)) continue;
    const nonce = first === undefined ? undefined : first + signed.length;
    try {
      const transaction = await result.sign(nonce);
      const basedOnNonFinal = hasNonFinalStep(sql, entry.step) || undefined;
      const { expectedOnChain } = result;
      signed.push({
        entry,
        nonce,
        signed: { ...transaction, expectedOnChain, basedOnNonFinal, signedAtMs: Date.now() },
      });
      results.push([entry, result]);
    } catch (fault) {
      if (!(fault instanceof SigningRefused)) throw fault;
      logFault('signer.signing_forbidden', fault, { signer: name, step: entry.step.id });
      const why = `the step must not be signed: ${fault.message}`;
      results.push([entry, { type: 'not-now', code: 'signing-forbidden', why, blocks: 'step' }]);
    }
  }
  return { signed, results };
}
