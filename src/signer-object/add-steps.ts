import type { Milliseconds } from '../lib/brand.ts';
import type { Answer, SubmittedStep } from '../pass/step.ts';
import { mayBeSigned } from './earlier-store.ts';
import type { Signer } from './signer.ts';
import { waitsForMint } from './step-queries.ts';

/**
 * Adds steps and returns those that are new. It does not add a step that the signer has already: if that one waits in a lower
 * rank than it is submitted with, it moves up, even if the higher rank is full, because the lane does not grow. And it does not
 * add a step whose rank has no room in its lane.
 */
export function addSteps(
  { storage, steps: table }: Pick<Signer, 'storage' | 'steps'>,
  steps: readonly SubmittedStep[],
  now: Milliseconds = Date.now(),
): SubmittedStep[] {
  const { sql, kv } = storage;
  return steps.filter((step) => {
    const hasRoom = table.lanes.hasRoom(step.key.gatekeeperNetwork, step.rank);
    const reason = hasRoom && waitsForMint(sql, step) ? ({ code: 'mint-not-final' } as const) : undefined;
    const isNew = hasRoom && table.add(step, { mayBeSigned: mayBeSigned(kv, step), reason }, now);
    if (!isNew) {
      table.lift(step);
      table.changeClient(step, now);
    }
    return isNew;
  });
}

/** Whether the signer does not have the step because its rank has no room. */
export function isWithoutRoom({ steps }: Pick<Signer, 'steps'>, { id, key, rank }: SubmittedStep): boolean {
  return !steps.lanes.hasRoom(key.gatekeeperNetwork, rank) && steps.answerFor(id) === undefined;
}

/**
 * For a step that the signer did not add: its lane had no room, or the signer is not configured. The pass asks again, soon if
 * there was no room.
 */
export function waitingAnswer(id: string, noRoom: boolean): Answer {
  return { step: id, revision: 0, status: { type: 'waiting', ...(noRoom && { noRoom }) } };
}

/** For a step that left the chain and whose signer lost the bytes with its store: its pass derives the next step. */
export function withdrawnAnswer(step: string): Answer {
  return { step, revision: Number.MAX_SAFE_INTEGER, status: { type: 'withdrawn' } };
}
