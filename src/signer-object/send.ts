import type { Step } from '../pass/step.ts';
import { broadcastTransactions, newestTransactions } from './broadcast.ts';
import { finishEarlierStore, holdBack } from './finish-earlier-store.ts';
import { holdBackSuspended } from './hold-back-suspended.ts';
import { nextSteps } from './next-steps.ts';
import { currentPause, resumeSigner } from './pause.ts';
import { holdBackUnsettled } from './requeue.ts';
import { signSteps } from './sign-steps.ts';
import type { Signer } from './signer.ts';
import { countUnmined, unsentSteps } from './step-table.ts';
import { withdraw, withdrawWaiting } from './transitions.ts';

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
  const { storage, network, withdrawals, suspended } = signer;
  // Between two runs no step is being signed, so withdrawing is safe. It also happens while the signer is paused.
  for (const [id, status] of withdrawals) withdraw(signer, id, status);
  withdrawals.clear();
  if (signer.isCompromised) withdrawWaiting(signer, RUN_MAX_WITHDRAWALS);
  if (currentPause(storage, Date.now())) return [];
  const unsent = newestTransactions(unsentSteps(storage.sql, network, Date.now(), BATCH_MAX_STEPS));
  const sent = await broadcastTransactions(signer, unsent);
  if (signer.isCompromised) {
    // Steps that were not withdrawn wait until the nonces of the earlier store are final.
    holdBack(signer, nextSteps(signer, BATCH_MAX_STEPS, Date.now()), Date.now());
    await finishEarlierStore(signer, Date.now());
    return sent;
  }
  for (let batch = 0; batch < RUN_MAX_BATCHES && currentPause(storage, Date.now()) === undefined; batch += 1) {
    if (signer.lanes.inTurn().length === 0) break;
    await suspended.refresh(Date.now());
    const room = network.unmined - countUnmined(storage.sql);
    if (room <= 0) break;
    // A batch leaves room only if some of its steps were not ready. The next batch prepares more steps, so that those do
    // not delay the steps behind them.
    const entries = nextSteps(signer, Math.min(BATCH_MAX_STEPS, room * 2 ** batch), Date.now());
    if (entries.length === 0) break;
    const now = Date.now();
    const free = holdBackSuspended(signer, holdBackUnsettled(signer, holdBack(signer, entries, now), now), now);
    if (free.length === 0) continue;
    const signed = await signSteps(signer, free, room);
    // The nodes answered, and nothing stops the whole signer: an earlier pause must not be shown any longer.
    if (signed.length === 0 && currentPause(storage, Date.now()) === undefined) resumeSigner(storage);
    sent.push(...(await broadcastTransactions(signer, signed)));
  }
  await finishEarlierStore(signer, Date.now());
  return sent;
}
