import { logFault } from '../log/log.ts';
import type { Endpoints, JsonRpc } from './json-rpc.ts';
import { RpcFault } from './port.ts';

/** The value that the endpoints of a network show, each asked alone. */
export type Agreed<T> =
  /** `isConfirmed`: at least two endpoints show the same. */
  | { readonly type: 'read'; readonly value: T; readonly isConfirmed: boolean }
  /** The endpoints contradict each other, and no value has the most of them. */
  | { readonly type: 'disputed' }
  | { readonly type: 'unanswered' };

/** Reads a value from every endpoint, and returns the answers that came. It never throws because of a node. */
export async function askEveryEndpoint<T>(
  { alone }: Pick<Endpoints, 'alone'>,
  read: (send: JsonRpc) => Promise<T>,
): Promise<T[]> {
  const answers = await Promise.all(alone.map(({ send }) => read(send).catch(ignoreFault)));
  return answers.filter((answer) => answer !== undefined) as T[];
}

/** The other endpoints may still answer. */
function ignoreFault(fault: unknown): undefined {
  if (!(fault instanceof RpcFault)) logFault('endpoint.unreadable', fault);
}

/** Returns the answer that most endpoints give. The answers are JSON. Pure. */
export function agree<T>(answers: readonly T[]): Agreed<T> {
  const [most = [], second = []] = [...Map.groupBy(answers, (answer) => JSON.stringify(answer)).values()].toSorted(
    (a, b) => b.length - a.length,
  );
  const [value] = most;
  if (value === undefined) return { type: 'unanswered' };
  return second.length === most.length ? { type: 'disputed' } : { type: 'read', value, isConfirmed: most.length > 1 };
}
