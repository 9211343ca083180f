import { SECOND_MS } from '../lib/units.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { Pass } from '../pass/pass.ts';
import type { Answer } from '../pass/step.ts';
import type { PinResult, RecordResult } from './results.ts';

/** A superseded step ends first, and the one that takes access away follows. A wallet may also have several tokens. */
const MAX_STEPS = 5;
/** The signer answers within five seconds, as far as its run has come. */
const SUBMIT_TIMEOUT_MS = 10 * SECOND_MS;

/** The pass object, as far as this needs it. */
interface PinningPass {
  pinStep(): Promise<PinResult | undefined>;
  recordAnswers(answers: readonly Answer[]): Promise<RecordResult | undefined>;
}

/** Has the signer do the next steps of the pass, as the consumer of the queue does for many passes. Logs a fault. */
export async function submitSteps(
  { id: pass }: Pick<Pass, 'id'>,
  object: PinningPass,
  { SIGNERS }: Pick<Env, 'SIGNERS'>,
): Promise<void> {
  try {
    for (let steps = 0; steps < MAX_STEPS; steps += 1) {
      const pinned = await object.pinStep();
      if (pinned?.step === undefined) return;
      const { signer, step, vanished } = pinned;
      const submitted = SIGNERS.getByName(signer).submit([{ pass, step, vanished }]);
      const recorded = await object.recordAnswers(await within(SUBMIT_TIMEOUT_MS, submitted, 'the signer'));
      if (!recorded?.needsStep) return;
    }
  } catch (fault) {
    logFault('signer.unreachable', fault, { pass });
  }
}
