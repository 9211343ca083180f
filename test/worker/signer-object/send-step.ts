import type { Step } from '../../../src/pass/step.ts';
import { settleWithheld, trackInFlight } from '../../../src/signer-object/confirm.ts';
import { stuckReasonFor } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import type { StoredTransaction } from '../../../src/signer-object/schema.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { type Signer, WITHHELD_AFTER_MS } from '../../../src/signer-object/signer.ts';
import { aStep } from '../chain/ethereum/node.ts';

/** Sends a step of sepolia to the nodes, and returns the step with its first signed transaction. */
export async function sent(signer: Signer, step = aStep()) {
  addSteps(signer, [step]);
  await sendWaiting(signer);
  return { step, first: signedFor(signer, step.id)[0] as StoredTransaction };
}

/** Returns all signed transactions of an unconfirmed step, newest last. */
export function signedFor({ steps }: Signer, id: string): readonly StoredTransaction[] {
  return steps.inMemory(id)?.signed ?? [];
}

export const answerOf = ({ steps }: Signer, id: string) => steps.answerFor(id);

/** Returns why the step waits, as the operator reads it. */
export const reasonOf = (signer: Signer, { id, kind, rank, key: { gatekeeperNetwork } }: Step): string =>
  stuckReasonFor(signer, { id, gatekeeperNetwork, kind, rank }, Date.now()).text;

/** Tracks, and settles the steps as if the nodes had withheld for long what they withhold now. */
export async function trackForLong(signer: Signer): Promise<void> {
  await trackInFlight(signer);
  await settleWithheld(signer, Date.now() + WITHHELD_AFTER_MS);
}
