import { backoff } from '../lib/backoff.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { isSettled } from './next-step.ts';
import { isReorged, type Pass } from './pass.ts';

/** Under load nobody comes to a pass sooner: what looks after it then only adds to the load. */
const RETRY_MIN_MS = 10_000;
/** Its message is lost, or the signer could not be reached: to ask again costs little. */
const UNHELD_RETRY_MAX_MS = 60_000;
const PUBLISH_RETRY_MIN_MS = 30_000;
/** A network or a database that is down for days must cost little. The signer announces outcomes without being asked. */
const RETRY_MAX_MS = 3_600_000;

/**
 * How long a pass is left alone before its alarm looks after it, in milliseconds: until its signer has heard of the step,
 * until the step should be confirmed, or, settled, until the read model can be brought up to date. Doubles with every
 * try that changed nothing.
 * @param hasSigner Whether a signer can take the next step. Only an operator can change that.
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
  return backoff(RETRY_MIN_MS, tries, UNHELD_RETRY_MAX_MS);
}
