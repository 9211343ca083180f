import { backoff } from '../lib/backoff.ts';
import { isSettled } from './next-step.ts';
import { isReorganized, type Pass } from './pass.ts';

/** Under load nobody comes to a pass sooner: what looks after it then only adds to the load. */
const SOONEST_MS = 10_000;
/** Its message is lost, or the signer could not be reached: to ask again costs little. */
const LONGEST_UNHELD_MS = 60_000;
const PROJECTION_MS = 30_000;
const LONGEST_MS = 15 * 60_000;
/** What is settled and not in the read model yet is answered wrong until then. */
const LONGEST_PROJECTION_MS = 60_000;

/**
 * How long a pass is left alone before its alarm looks after it, in milliseconds: until its signer has heard of the step,
 * until the step should be confirmed, or, settled, until the read model can be brought up to date. Doubles with every
 * try that changed nothing.
 */
export function watchDelay(pass: Pass, tries: number, expectedConfirmationMs: number): number {
  if (isSettled(pass)) return backoff(PROJECTION_MS, tries, LONGEST_PROJECTION_MS);
  if (pass.step?.held || isReorganized(pass)) {
    return backoff(Math.max(SOONEST_MS, 2 * expectedConfirmationMs), tries, LONGEST_MS);
  }
  return backoff(SOONEST_MS, tries, LONGEST_UNHELD_MS);
}
