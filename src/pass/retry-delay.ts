import { backoff } from '../lib/backoff.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { isSettled } from './next-step.ts';
import { isReorged, type Pass } from './pass.ts';
import { BULK_ISSUANCE } from './step-kinds.ts';

/** Shortest delay. Under load, an earlier alarm would only add to the load. */
const RETRY_MIN_MS = 10_000;
/** Longest delay while the signer does not have the step: its message was lost, or the signer was unreachable. */
const UNHELD_RETRY_MAX_MS = 60_000;
/** After about an hour, a lane without room or a signer that is away lasts longer, and each alarm of each pass costs rows. */
const UNHELD_TRIES = 60;
const UNHELD_LATER_MAX_MS = 15 * 60_000;
const PUBLISH_RETRY_MIN_MS = 30_000;
/** Longest delay. A network or database that is down for days must cost little, and the signer announces outcomes itself. */
const RETRY_MAX_MS = 3_600_000;

/**
 * Returns the time until the alarm of the pass fires, in milliseconds. It doubles with every try that changed nothing, and
 * depends on the next thing to check:
 * - whether the signer has the step
 * - whether the step is confirmed
 * - for a settled pass, whether the read model has it
 * @param hasSigner Whether a signer can do the next step. If not, only the operator can change that.
 */
export function retryDelayMs(
  pass: Pass,
  tries: number,
  expectedConfirmationMs: Milliseconds,
  hasSigner = true,
): Milliseconds {
  if (isSettled(pass)) return backoff(PUBLISH_RETRY_MIN_MS, tries, RETRY_MAX_MS);
  if (pass.step?.held || isReorged(pass) || !hasSigner) {
    return backoff(Math.max(RETRY_MIN_MS, 2 * expectedConfirmationMs), tries, RETRY_MAX_MS);
  }
  // The message of a bulk issuance may wait in its queue for a minute.
  const min = pass.issuanceRank === BULK_ISSUANCE ? UNHELD_RETRY_MAX_MS : RETRY_MIN_MS;
  if (tries <= UNHELD_TRIES) return backoff(min, tries, UNHELD_RETRY_MAX_MS);
  return backoff(UNHELD_RETRY_MAX_MS, tries - UNHELD_TRIES, UNHELD_LATER_MAX_MS);
}
