import { logFault } from '../log/log.ts';
import { RpcFault } from './port.ts';

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
