import type { SingleEndpoint } from './json-rpc.ts';
import { RpcFault } from './port.ts';

/**
 * Asks one endpoint after another until one answers well, and begins with endpoint number `turn`. An endpoint that hangs comes last.
 * If every answer is poor, it returns the first one. Throws RpcFault if none answers.
 */
export async function askInTurn<E extends SingleEndpoint, T>(
  endpoints: readonly E[],
  turn: number,
  ask: (endpoint: E) => Promise<T>,
  isPoor: (answer: T) => boolean = () => false,
): Promise<T> {
  const first = turn % endpoints.length;
  const order = [...endpoints.slice(first), ...endpoints.slice(0, first)];
  const poor: T[] = [];
  const faults: RpcFault[] = [];
  for (const endpoint of order.toSorted((a, b) => Number(a.isHanging()) - Number(b.isHanging()))) {
    try {
      const answer = await ask(endpoint);
      if (!isPoor(answer)) return answer;
      poor.push(answer);
    } catch (fault) {
      if (!(fault instanceof RpcFault)) throw fault;
      faults.push(fault);
    }
  }
  if (poor.length > 0) return poor[0] as T;
  const messages = faults.map(({ message }) => message).join('; ');
  throw new RpcFault(
    `no endpoint answered: ${messages}`,
    faults.flatMap(({ codes }) => codes),
  );
}
