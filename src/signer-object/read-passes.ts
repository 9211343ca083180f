import { type Question, type Reading, RpcFault } from '../chain/port.ts';
import * as ledger from './ledger.ts';
import type { Signer } from './signer.ts';

export interface PassQuestion extends Question {
  /** Id of the pass. */
  readonly pass: string;
}

/** While something of ours is under way for a pass, what the chain shows of it is not what others did. */
export type PassReading = Reading | { readonly is: 'busy' };

/**
 * What the chain holds of these passes; one reading each, in order.
 * @param lookAgain Looks at what was confirmed: whether it is there still.
 */
export async function readPasses(
  { storage: { sql }, chain }: Signer,
  questions: readonly PassQuestion[],
  lookAgain: () => Promise<unknown>,
): Promise<PassReading[]> {
  const has = ({ pass }: PassQuestion, ...statuses: ledger.Entry['status'][]) =>
    ledger.stepsOf(sql, pass).some(({ status }) => statuses.includes(status));
  const isBusy = (question: PassQuestion) => has(question, 'waiting', 'unsent', 'sent');
  const idle = questions.filter((question) => !isBusy(question));
  try {
    const readings = await chain.read(idle);
    // It may have left the chain before the chain was read: then it is under way again.
    if (idle.some((question) => has(question, 'confirmed'))) await lookAgain();
    return questions.map((question): PassReading => {
      if (isBusy(question)) return { is: 'busy' };
      return readings[idle.indexOf(question)] ?? unreadable('something was under way for it a moment ago');
    });
  } catch (fault) {
    if (!(fault instanceof RpcFault)) throw fault;
    return questions.map(() => unreadable(fault.message));
  }
}

export function unreadable(why: string): Reading {
  return { is: 'unreadable', why };
}
