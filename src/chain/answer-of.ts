import { logFault } from '../log/log.ts';
import { RpcFault } from './port.ts';

/**
 * Returns what one of several endpoints answers; undefined if it does not answer, or answers what cannot be read: the others
 * may still be fine.
 */
export async function answerOf<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (fault) {
    if (!(fault instanceof RpcFault)) logFault('endpoint-unreadable', fault, {});
    return undefined;
  }
}
