import { type Pairs, pairAll } from '../chain/pairs.ts';
import { type Question, type Reading, RpcFault } from '../chain/port.ts';
import type { OnChain } from '../pass/pass.ts';
import { isSatisfied } from '../pass/step.ts';
import { STEP_KINDS } from '../pass/step-kinds.ts';
import type { Signer } from './signer.ts';
import { type StepEntry, stepsOf } from './step-table.ts';

export interface PassQuestion extends Question {
  /** Id of the pass. */
  readonly pass: string;
}

/** `busy`: a step of the pass is under way, so a difference on the chain may be its effect and not a change by others. */
export type PassReading = Reading | { readonly type: 'busy' };

/**
 * Reads the on-chain state of these passes.
 * @param trackConfirmed Checks whether confirmed transactions are still in their blocks.
 */
export async function readPasses<Q extends PassQuestion>(
  signer: Signer | undefined,
  questions: readonly Q[],
  trackConfirmed: (signer: Signer) => Promise<unknown>,
): Promise<Pairs<Q, PassReading>> {
  if (signer === undefined) return pairAll(questions, unreadable('its signer is not configured'));
  const { storage, chain } = signer;
  const { sql } = storage;
  const has = ({ pass }: PassQuestion, ...statuses: StepEntry['status'][]) =>
    stepsOf(sql, pass).some(({ status }) => statuses.includes(status));
  const isBusy = (question: PassQuestion) => has(question, 'waiting', 'unsent', 'sent');
  const idle = questions.filter((question) => !isBusy(question));
  try {
    const readings = new Map<Q, Reading>(idle.length === 0 ? [] : await chain.read(idle));
    // A block may have left the chain before the reading: then its step is in flight again.
    if (idle.some((question) => has(question, 'confirmed'))) await trackConfirmed(signer);
    return questions.map((question) => {
      const reading = readings.get(question) ?? unreadable('a step of the pass was under way a moment ago');
      const lacksOurs = reading.type === 'read' && lacksOwnSteps(reading.onChain, stepsOf(sql, question.pass));
      return [question, lacksOurs || isBusy(question) ? { type: 'busy' } : reading];
    });
  } catch (fault) {
    if (!(fault instanceof RpcFault)) throw fault;
    return pairAll(questions, unreadable(fault.message));
  }
}

/**
 * Whether the reading lacks the effect of a step that is confirmed and not final. A reorg may have removed the step, and the
 * node that tracked it may not know of that reorg yet.
 */
function lacksOwnSteps(onChain: OnChain, steps: ReturnType<typeof stepsOf>): boolean {
  const loose = steps.filter(({ status }) => status === 'confirmed');
  const newest = [
    loose.findLast(({ kind }) => STEP_KINDS[kind].stateAfter !== undefined),
    loose.findLast(({ kind }) => STEP_KINDS[kind].stateAfter === undefined),
  ];
  return newest.some((step) => step !== undefined && !isSatisfied(step, onChain));
}

export function unreadable(why: string): Reading {
  return { type: 'unreadable', why };
}
