import type { Step } from '../pass/step.ts';
import { isKmsCode, type WaitCode } from '../pass/wait-reasons.ts';
import { broadcastTransactions, newestTransactions } from './broadcast.ts';
import { finishEarlierStore, isEarlierStoreOver, needsEarlierStore } from './earlier-store.ts';
import { nextSteps } from './next-steps.ts';
import { signSteps } from './sign-steps.ts';
import { pauseOf, resumeSigner, type Signer } from './signer.ts';
import { isHeld, type StepEntry } from './step-row.ts';

/** Maximum number of steps that are prepared and broadcast together. */
const BATCH_MAX_STEPS = 100;
/** Maximum number of batches in one run. The next run takes the rest, so that no caller waits for a whole backlog. */
const RUN_MAX_BATCHES = 10;
/** Maximum number of steps that one run of a compromised signer withdraws. */
const RUN_MAX_WITHDRAWALS = 1_000;

/**
 * Prepares, signs, stores and broadcasts waiting steps. Returns the steps whose transaction a node has accepted. Runs must
 * not overlap, because a run assigns nonces. Throws RpcFault if the nodes fail; the next run continues from the stored
 * steps. A compromised signer withdraws its waiting steps. It still broadcasts its signed transactions, because blocks may
 * include them anyway.
 */
export async function sendWaiting(signer: Signer): Promise<Step[]> {
  const { network, steps, withdrawals, suspended, contracts } = signer;
  // Between two runs no step is being signed, so withdrawing is safe. It also happens while the signer is paused.
  for (const [id, status] of withdrawals) steps.withdraw(id, status);
  withdrawals.clear();
  if (signer.isCompromised) steps.withdrawWaiting(RUN_MAX_WITHDRAWALS, !isEarlierStoreOver(signer));
  const pause = pauseOf(signer, Date.now());
  // Stored bytes need no KMS.
  if (pause !== undefined && !isKmsCode(pause.code)) return [];
  const unsent = newestTransactions(steps.unsent(Date.now(), BATCH_MAX_STEPS));
  const sent = await broadcastTransactions(signer, unsent);
  if (signer.isCompromised) {
    // Steps that were not withdrawn wait until the nonces of the earlier store are final.
    postponeUnsignable(signer, nextSteps(signer, BATCH_MAX_STEPS, Date.now()));
    await finishEarlierStore(signer, Date.now());
    return sent;
  }
  for (let batch = 0; batch < RUN_MAX_BATCHES && pauseOf(signer, Date.now()) === undefined; batch += 1) {
    if (steps.lanes.inTurn().length === 0) break;
    await suspended.refresh(Date.now());
    const room = network.unmined - steps.unminedCount;
    if (room <= 0) break;
    // A batch leaves room only if some of its steps were not ready. The next batch prepares more steps, so that those do
    // not delay the steps behind them.
    const entries = nextSteps(signer, Math.min(BATCH_MAX_STEPS, room * 2 ** batch), Date.now());
    if (entries.length === 0) break;
    await contracts?.checkNew(
      entries.map(({ step }) => step),
      Date.now(),
    );
    const free = postponeUnsignable(signer, entries);
    if (free.length === 0) continue;
    const signed = await signSteps(signer, free, room);
    // The nodes answered, and nothing stops the whole signer: an earlier pause must not be shown any longer.
    if (signed.length === 0 && pauseOf(signer, Date.now()) === undefined) resumeSigner(signer);
    sent.push(...(await broadcastTransactions(signer, signed)));
  }
  await finishEarlierStore(signer, Date.now());
  return sent;
}

/** Postpones the steps that the signer must not sign now, whatever the chain shows. Returns the other steps. */
function postponeUnsignable(signer: Signer, entries: readonly StepEntry[]): StepEntry[] {
  const now = Date.now();
  return entries.filter((entry) => {
    const code = unsignableReason(signer, entry);
    if (code !== undefined) signer.steps.postpone(entry, { code }, now);
    return code === undefined;
  });
}

function unsignableReason(signer: Signer, entry: StepEntry): WaitCode | undefined {
  const { step, mayBeSigned, nonce } = entry;
  if (step.kind === 'issue' && mayBeSigned && needsEarlierStore(signer)) return 'earlier-store';
  if (nonce !== undefined) return 'nonce-not-final';
  // A held step is not signed anyway, and the end of a suspension must not release it.
  const isAllowed = isHeld(entry) || signer.suspended.allows(step);
  if (isAllowed === 'unknown') return 'suspensions-unread';
  if (!isAllowed) return 'client-suspended';
  return isHeld(entry) || signer.contracts?.allows(step) !== false ? undefined : 'contract-code-unknown';
}
