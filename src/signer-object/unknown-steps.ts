import type { Answer, SubmittedStep } from '../pass/step.ts';
import type { Signer } from './signer.ts';

/** Answers for steps that the signer does not have. */

/**
 * For a step that the signer did not add: its lane has no room, another issuance for its wallet is unfinished, or the
 * signer is not configured (undefined). The pass asks again.
 */
export function waitingAnswer({ id, key, rank }: SubmittedStep, signer: Signer | undefined): Answer {
  const noRoom = signer?.lanes.hasRoom(key.gatekeeperNetwork, rank) === false;
  return { step: id, revision: 0, status: { type: 'waiting', ...(noRoom && { noRoom }) } };
}

/** For a step that left the chain, if the store that could send it again is lost: its pass derives the next step. */
export function withdrawnAnswer(step: string): Answer {
  return { step, revision: Number.MAX_SAFE_INTEGER, status: { type: 'withdrawn' } };
}
