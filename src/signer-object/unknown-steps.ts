import type { Answer, SubmittedStep } from '../pass/step.ts';
import { answerFor, type StepQueue } from './step-table.ts';

/** Answers for steps that the signer does not have. */

/** Whether the signer does not have the step because its rank has no room. */
export function isWithoutRoom({ storage, lanes }: StepQueue, { id, key, rank }: SubmittedStep): boolean {
  return !lanes.hasRoom(key.gatekeeperNetwork, rank) && answerFor(storage.sql, id) === undefined;
}

/**
 * For a step that the signer did not add: its lane had no room, another issuance for its wallet is unfinished, or the
 * signer is not configured. The pass asks again, soon if there was no room.
 */
export function waitingAnswer(id: string, noRoom: boolean): Answer {
  return { step: id, revision: 0, status: { type: 'waiting', ...(noRoom && { noRoom }) } };
}

/** For a step that left the chain and whose signer lost the bytes with its store: its pass derives the next step. */
export function withdrawnAnswer(step: string): Answer {
  return { step, revision: Number.MAX_SAFE_INTEGER, status: { type: 'withdrawn' } };
}
