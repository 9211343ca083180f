import { backoff } from '../lib/backoff.ts';
import { isSettled } from './next-step.ts';
import type { Pass } from './pass.ts';

const UNHELD_MS = 10_000;
const PROJECTION_MS = 30_000;
const LONGEST_MS = 15 * 60_000;
/** What is settled and not in the read model yet is answered wrong until then. */
const LONGEST_PROJECTION_MS = 60_000;

/**
 * How long a pass is left alone before its alarm looks after it, in milliseconds: until its signer holds the step,
 * until the step should be confirmed, or, settled, until the read model can be brought up to date. Doubles with every
 * try that changed nothing.
 */
export function watchDelay(pass: Pass, tries: number, expectedConfirmationMs: number): number {
  if (isSettled(pass)) return backoff(PROJECTION_MS, tries, LONGEST_PROJECTION_MS);
  return backoff(pass.step?.held ? 2 * expectedConfirmationMs : UNHELD_MS, tries, LONGEST_MS);
}
