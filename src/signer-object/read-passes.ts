import { type Question, type Reading, RpcFault } from '../chain/port.ts';
import type { OnChain } from '../pass/pass.ts';
import { isSatisfied } from '../pass/step.ts';
import type { Signer } from './signer.ts';
import * as ledger from './step-table.ts';

export interface PassQuestion extends Question {
  /** Id of the pass. */
  readonly pass: string;
}

/** While something of ours is under way for a pass, what the chain shows of it is not what others did. */
export type PassReading = Reading | { readonly type: 'busy' };

/**
 * What the chain holds of these passes; one reading each, in order.
 * @param lookAgain Looks at what was confirmed: whether it is there still.
 */
export async function readPasses(
  { storage: { sql }, chain }: Signer,
  questions: readonly PassQuestion[],
  lookAgain: () => Promise<unknown>,
): Promise<PassReading[]> {
  const has = ({ pass }: PassQuestion, ...statuses: ledger.StepEntry['status'][]) =>
    ledger.stepsOf(sql, pass).some(({ status }) => statuses.includes(status));
  const isBusy = (question: PassQuestion) => has(question, 'waiting', 'unsent', 'sent');
  const idle = questions.filter((question) => !isBusy(question));
  try {
    const readings = idle.length === 0 ? [] : await chain.read(idle);
    // It may have left the chain before the chain was read: then it is under way again.
    if (idle.some((question) => has(question, 'confirmed'))) await lookAgain();
    return questions.map((question): PassReading => {
      const reading = readings[idle.indexOf(question)] ?? unreadable('something was under way for it a moment ago');
      const isOurs = reading.type === 'read' && lacksOwnSteps(reading.onChain, ledger.stepsOf(sql, question.pass));
      return isOurs || isBusy(question) ? { type: 'busy' } : reading;
    });
  } catch (fault) {
    if (!(fault instanceof RpcFault)) throw fault;
    return questions.map(() => unreadable(fault.message));
  }
}

/**
 * Whether something of ours that is confirmed and not final does not show: a reorg may have taken it, and the node that was
 * asked whether it is there still may not know.
 */
function lacksOwnSteps(onChain: OnChain, steps: ReturnType<typeof ledger.stepsOf>): boolean {
  const loose = steps.filter(({ status }) => status === 'confirmed');
  const newest = [
    loose.findLast(({ kind }) => kind !== 'set-expiry'),
    loose.findLast(({ kind }) => kind === 'set-expiry'),
  ];
  return newest.some((step) => step !== undefined && !isSatisfied(step, onChain));
}

export function unreadable(why: string): Reading {
  return { type: 'unreadable', why };
}
