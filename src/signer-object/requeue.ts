import type { FinalNonce, PrepareResult } from '../chain/port.ts';
import type { NotNow, Refused } from '../chain/reasons.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { log, logFault } from '../log/log.ts';
import type { OnChain } from '../pass/pass.ts';
import type { Rank } from '../pass/step-kinds.ts';
import { endMintDeferral } from './mint-deferral.ts';
import type { Signer } from './signer.ts';
import { costCorrection } from './step-cost.ts';
import { countRequeued, IS_REQUEUED, type StepEntry, WAITING_JSON } from './step-table.ts';
import { postpone } from './transitions.ts';

/**
 * Requeues steps whose transactions no longer count. The signer signs such a step again at a new nonce, at most twice. Then
 * it holds the step for the operator: an endpoint that hides the transactions could otherwise cause endless signatures. It
 * still prepares a held step from time to time, because the chain may show the aim of the step later.
 */

/** Maximum number of nonces that the signer uses for a step: the first one and two more. */
export const STEP_MAX_NONCES = 3;
/** Number of transactions of a step that blocks include without effect before the step fails. */
export const MAX_INEFFECTIVE_ATTEMPTS = 3;
const SETTLE_RETRY_MS = 5_000;
const WHY_UNSETTLED = 'the nonce of its last transaction is not final';
const WHY_HELD = `the step is held: ${STEP_MAX_NONCES} nonces were signed for it`;
const WHY_STILL_HELD = `${WHY_HELD}, and no endpoint shows its effect. Compare the endpoints, then redrive the pass`;
/** How soon a held step is prepared again, at first and at most. */
export const HELD_RETRY_MIN_MS = 60_000;
export const HELD_RETRY_MAX_MS = 3_600_000;

/** A result of `prepare`, or the signer's own conclusion from it. */
export type StepResult =
  | PrepareResult
  | NotNow<'earlier-not-final' | 'signing-forbidden' | 'held'>
  | Refused<'without-effect'>;

interface RequeueReason {
  /** Earliest time at which the step is prepared again. */
  readonly from: Milliseconds;
  /** Oldest block on which the step may be prepared. */
  readonly asOf?: number;
  /** Whether a final block includes its transaction, without the effect of the step. */
  readonly withoutEffect?: boolean;
}

/** Makes the step wait again, or holds it. Does nothing if the signer has signed for it since the entry was read. */
export function requeue(
  { name, storage: { sql }, lanes, spending }: Signer,
  { seq, step, signed, nonce, ...entry }: StepEntry,
  { from, asOf = 0, withoutEffect = false }: RequeueReason,
): void {
  const now = Date.now();
  // No block includes an expired transaction, so it cost nothing.
  const correction = withoutEffect ? 0 : costCorrection({ signed, ...entry }, 0, now);
  const known = { state: 'NONE', ...step.known, asOf: Math.max(asOf, step.known?.asOf ?? 0) } satisfies OnChain;
  const noncesGivenUp = entry.noncesGivenUp + (nonce === undefined ? 0 : 1);
  const attempts = entry.ineffectiveAttempts + (withoutEffect ? 1 : 0);
  // After enough attempts without effect, the step is prepared once more and then fails by itself, so it is not held.
  const isHeld = noncesGivenUp >= STEP_MAX_NONCES && attempts < MAX_INEFFECTIVE_ATTEMPTS;
  const lane = step.key.gatekeeperNetwork;
  let isRequeued = false;
  spending.change(lane, now, () => {
    const [row] = sql
      .exec<{ rank: Rank }>(
        `UPDATE step SET status = 'waiting', taken = 0, nonce = ?, signed = NULL, place = NULL, not_before = ?, parked = ?,
           why = ?, known = ?, revision = revision + 1, standing = ?, unacknowledged = 0, nonces_given_up = ?,
           misfires = ?, cost = cost + ?
         WHERE seq = ? AND status = 'signed' AND json_array_length(signed) = ? RETURNING rank`,
        // A final block includes the transaction without effect, so its nonce is settled.
        (withoutEffect ? undefined : nonce) ?? null,
        isHeld ? now + HELD_RETRY_MIN_MS : from,
        isHeld ? 'held' : null,
        isHeld ? WHY_STILL_HELD : null,
        JSON.stringify(known),
        WAITING_JSON,
        noncesGivenUp,
        attempts,
        correction,
        seq,
        signed.length,
      )
      .toArray();
    if (row === undefined) return 0;
    isRequeued = true;
    lanes.add(lane, row.rank);
    return correction;
  });
  if (!isRequeued) return;
  if (isHeld)
    logFault('signer.step_held', WHY_STILL_HELD, { signer: name, step: step.id, nonces_given_up: noncesGivenUp });
  endMintDeferral(sql, step, now);
}

/** Returns the result of preparing a held step. A state on chain may end the step; otherwise it stays held. */
export function resultWhileHeld(result: StepResult): StepResult {
  switch (result.type) {
    case 'ready':
      return { type: 'not-now', code: 'held', why: WHY_STILL_HELD, blocks: 'step' };
    case 'not-now':
      return { type: 'not-now', code: 'held', why: `${WHY_HELD}. Now: ${result.why}`, blocks: 'step' };
    default:
      return result;
  }
}

/**
 * Clears the nonces below the final one in the steps that gave them up, so that the signer may sign these steps again. If
 * the nodes fail, it logs that and clears none.
 */
export async function settleNonces({ name, storage: { sql }, chain }: Signer): Promise<void> {
  if (countRequeued(sql) === 0) return;
  let final: FinalNonce | undefined;
  try {
    final = await chain.finalNonce();
  } catch (fault) {
    return logFault('signer.nonces_unread', fault, { signer: name });
  }
  if (final === undefined) return;
  const query = `UPDATE step SET nonce = NULL, tries = 0 WHERE ${IS_REQUEUED} AND nonce < ?`;
  const { rowsWritten } = sql.exec(query, final.nonce);
  if (rowsWritten > 0) log('signer.nonces_settled', { signer: name, below: final.nonce });
}

/** Postpones steps that gave up a nonce that is not settled. Returns the other steps. */
export function holdBackUnsettled(
  { storage: { sql } }: Signer,
  entries: readonly StepEntry[],
  now: Milliseconds,
): StepEntry[] {
  return entries.filter(({ seq, nonce, isHeld }) => {
    if (nonce === undefined) return true;
    postpone(sql, seq, now + (isHeld ? HELD_RETRY_MIN_MS : SETTLE_RETRY_MS), WHY_UNSETTLED);
    return false;
  });
}
