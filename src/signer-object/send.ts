import { urgentRoomOf } from '../network/network.ts';
import type { Step } from '../pass/step.ts';
import { RANKS, URGENT } from '../pass/step-kinds.ts';
import { isKmsCode } from '../pass/wait-reasons.ts';
import { broadcastTransactions, newestTransactions } from './broadcast.ts';
import { finishEarlierStore, isEarlierStoreOver } from './earlier-store.ts';
import { nextSteps } from './next-steps.ts';
import { signSteps } from './sign-steps.ts';
import { pauseOf, resumeSigner, type Signer } from './signer.ts';
import type { StepEntry } from './step-row.ts';
import { unpreparableReason } from './unsignable.ts';

/** Maximum number of steps that are prepared and broadcast together. */
const BATCH_MAX_STEPS = 100;
/** Maximum number of batches in one run. The next run takes the rest, so that no caller waits for a whole backlog. */
const RUN_MAX_BATCHES = 10;
/** Maximum number of steps that one run of a compromised signer withdraws. */
const RUN_MAX_WITHDRAWALS = 1_000;

/**
 * Prepares, signs, stores and broadcasts waiting steps. Returns the steps whose transaction a node has accepted. Runs must
 * not overlap, because a run assigns nonces. Throws RpcFault if the nodes fail; the next run continues from the stored
 * steps. A compromised signer withdraws its waiting steps, or holds them until it has its new variables. It still broadcasts its signed transactions, because blocks may
 * include them anyway.
 */
export async function sendWaiting(signer: Signer): Promise<Step[]> {
  const { network, steps, suspended, contracts } = signer;
  // This also happens while the signer is paused.
  withdrawSteps(signer);
  // Also for a compromised signer, which reads no list: it may start with another list of an emergency.
  suspended.resume(Date.now());
  if (signer.isCompromised && !signer.holdsSteps)
    steps.withdrawWaiting(RUN_MAX_WITHDRAWALS, !isEarlierStoreOver(signer));
  const pause = pauseOf(signer, Date.now());
  // Stored bytes need no KMS.
  if (pause !== undefined && !isKmsCode(pause.code)) return [];
  const unsent = newestTransactions(steps.unsent(Date.now(), BATCH_MAX_STEPS));
  const sent = await broadcastTransactions(signer, unsent);
  if (signer.isCompromised) {
    // Steps that were not withdrawn wait until the nonces of the earlier store are final.
    postponeUnpreparable(signer, nextSteps(signer, BATCH_MAX_STEPS, Date.now()));
    await finishEarlierStore(signer, Date.now());
    return sent;
  }
  for (let batch = 0; batch < RUN_MAX_BATCHES && pauseOf(signer, Date.now()) === undefined; batch += 1) {
    withdrawSteps(signer);
    if (steps.lanes.inTurn().length === 0) break;
    await suspended.refresh(Date.now());
    const room = network.unmined - steps.unminedCount + withheldCount(signer);
    const urgentRoom = room + urgentRoomOf(network);
    if (urgentRoom <= 0) break;
    // A batch leaves room only if some of its steps were not ready. The next batch prepares more steps, so that those do
    // not delay the steps behind them.
    const limit = Math.min(BATCH_MAX_STEPS, (room > 0 ? room : urgentRoom) * 2 ** batch);
    const entries = nextSteps(signer, limit, Date.now(), room > 0 ? RANKS : [URGENT]);
    if (entries.length === 0) break;
    await contracts?.checkNew(
      entries.map(({ step }) => step),
      Date.now(),
    );
    const free = postponeUnpreparable(signer, entries);
    if (free.length === 0) continue;
    const signed = await signSteps(signer, free, room);
    // The nodes answered, and nothing stops the whole signer: an earlier pause must not be shown any longer.
    if (signed.length === 0 && pauseOf(signer, Date.now()) === undefined) resumeSigner(signer);
    sent.push(...(await broadcastTransactions(signer, signed)));
  }
  await finishEarlierStore(signer, Date.now());
  return sent;
}

/** Withdraws what partners and the operator have ended. Between two batches no step is being signed. */
function withdrawSteps({ steps, withdrawals }: Signer): void {
  for (const [id, status] of withdrawals) steps.withdraw(id, status);
  withdrawals.clear();
}

/**
 * Number of transactions that blocks seem to include, and whose receipts the nodes withhold. They take no room among the unmined ones:
 * `signSteps` compares that with the nonces.
 */
function withheldCount({ withheld, steps }: Signer): number {
  return [...withheld.keys()].filter((id) => steps.inMemory(id)?.nonce !== undefined).length;
}

/** Postpones the steps that the signer does not prepare now. Returns the other steps. */
function postponeUnpreparable(signer: Signer, entries: readonly StepEntry[]): StepEntry[] {
  const now = Date.now();
  return entries.filter((entry) => {
    const code = unpreparableReason(signer, entry);
    if (code !== undefined) signer.steps.postpone(entry, { code }, now);
    return code === undefined;
  });
}
