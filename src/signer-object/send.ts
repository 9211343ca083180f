import type { Step } from '../pass/step.ts';
import { broadcastTransactions, newestTransactions } from './broadcast.ts';
import { finishEarlierStore, holdBack } from './finish-earlier-store.ts';
import { holdBackSuspended } from './hold-back-suspended.ts';
import { nextSteps } from './next-steps.ts';
import { currentPause } from './pause.ts';
import { holdBackUnsettled } from './requeue.ts';
import { signSteps } from './sign-steps.ts';
import type { Signer } from './signer.ts';
import { countUnmined, unsentSteps } from './step-table.ts';
import { withdraw, withdrawWaiting } from './transitions.ts';

/** Steps that are prepared and broadcast together. */
const BATCH_MAX_STEPS = 100;
/** Batches of one run. The next run takes the rest, so that no caller waits for the end of a long backlog. */
const RUN_MAX_BATCHES = 10;
/** Steps that one run of a compromised signer withdraws. */
const RUN_MAX_WITHDRAWALS = 1_000;

/**
 * Takes waiting steps as far as possible: prepare, sign, store, broadcast. Only one run at a time may be under way: the
 * nonces depend on it. Returns the steps whose transaction a node has now. Throws RpcFault if the nodes fail; the next
 * run continues with what was stored by then. A compromised signer withdraws its waiting steps. It still broadcasts its signed
 * ones, because they may be mined anyway.
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
    // What was not withdrawn waits for the earlier store to be over.
    holdBack(signer, nextSteps(signer, BATCH_MAX_STEPS, Date.now()), Date.now());
    await finishEarlierStore(signer, Date.now());
    return sent;
  }
  for (let batch = 0; batch < RUN_MAX_BATCHES && currentPause(storage, Date.now()) === undefined; batch += 1) {
    if (signer.lanes.inTurn().length === 0) break;
    await suspended.refresh(Date.now());
    const room = network.unmined - countUnmined(storage.sql);
    if (room <= 0) break;
    // A batch leaves room only if steps were not ready. The next one prepares more, so that such steps do not hold up
    // those behind them.
    const entries = nextSteps(signer, Math.min(BATCH_MAX_STEPS, room * 2 ** batch), Date.now());
    if (entries.length === 0) break;
    const now = Date.now();
    const free = holdBackSuspended(signer, holdBackUnsettled(signer, holdBack(signer, entries, now), now), now);
    if (free.length > 0) sent.push(...(await broadcastTransactions(signer, await signSteps(signer, free, room))));
  }
  await finishEarlierStore(signer, Date.now());
  return sent;
}
