import type { Answer } from '../pass/step.ts';

/** Answers for steps that the signer does not have. */

/**
 * For a step that the signer did not add: its lane had no room, another issuance for its wallet is unfinished, or the
 * signer is not configured. The pass asks again, soon if there was no room.
 */
export function waitingAnswer(id: string, noRoom: boolean): Answer {
  return { step: id, revision: 0, status: { type: 'waiting', ...(noRoom && { noRoom }) } };
}

/** For a step that left the chain, if the store that could send it again is lost: its pass derives the next step. */
export function withdrawnAnswer(step: string): Answer {
  return { step, revision: Number.MAX_SAFE_INTEGER, status: { type: 'withdrawn' } };
}
