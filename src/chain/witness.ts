import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { type ChainPort, type Pairs, type Question, type Reading, RpcFault } from './port.ts';

/** One of several endpoints of a network, and how the service asks it. */

/** The methods of the port for one endpoint alone. */
export interface Witness
  extends Pick<ChainPort, 'prepare' | 'read' | 'broadcast' | 'track' | 'account' | 'finalNonce' | 'readBlockMs'> {
  /** Reads the on-chain state of these passes from its newest final block. Throws RpcFault if it does not answer. */
  readFinal(questions: readonly Question[]): Promise<Pairs<Question, Reading>>;
  /**
   * Reads a height above which no block can include a transaction that names this block. Undefined: it does not know the block, or
   * such a transaction has expired. Always undefined on chains whose transactions do not expire.
   */
  lastHeightOf(blockhash: string): Promise<number | undefined>;
  /** Whether it recently failed, was slow or was behind its chain. Other endpoints then come first. */
  isCooling(): boolean;
  /** Whether it recently took long to fail. Routine reads then skip it. */
  isHanging(): boolean;
}

/** Maximum time that the first endpoint's answer waits for the second endpoint. */
const SECOND_TIMEOUT_MS = 3_000;

/** Returns the endpoints that do not hang. One that recently failed comes last, but comes: failures of one leave another unchecked. */
export function inOrder<W extends Witness>(witnesses: readonly W[]): W[] {
  const asked = witnesses.filter((witness) => !witness.isHanging());
  return asked.toSorted((a, b) => Number(a.isCooling()) - Number(b.isCooling()));
}

/** Returns the answers of two endpoints, or undefined for one that does not answer. */
export async function askTwo<W extends Witness, T>(
  [first, second]: readonly W[],
  ask: (witness: W) => Promise<T>,
): Promise<readonly (T | undefined)[]> {
  const [a, b] = [first, second].map((witness) => (witness === undefined ? undefined : answerOf(ask(witness))));
  const answer = await a;
  // Without a first answer, the second one is the only one, so wait for it without a limit.
  return [answer, await (answer === undefined || b === undefined ? b : inTime(b))];
}

export const inTime = <T>(answer: Promise<T | undefined>) => withTimeout(SECOND_TIMEOUT_MS, answer, undefined);

/**
 * Returns the answer of one of several endpoints, or undefined if it does not answer or its answer cannot be read. The other
 * endpoints may still answer.
 */
export async function answerOf<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (fault) {
    if (!(fault instanceof RpcFault)) logFault('endpoint.unreadable', fault);
    return undefined;
  }
}
