import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../scripts/failure.ts';
import { RpcFault } from '../../src/chain/port.ts';

/** The pauses before the next tries of a reading. A provider often limits requests per minute. */
export const PAUSES_MS: readonly number[] = [250, 1_000, 4_000, 15_000, 45_000];
const TIMEOUT_MS = 60_000;

/** A source of tokens, with the pauses before the next tries of a reading. */
export interface Retried {
  readonly network: { readonly network: string };
  readonly pausesMs: readonly number[];
}

/** Whether another try cannot help, because every endpoint serves another chain or refuses its URL. */
export function isPermanent({ message }: RpcFault): boolean {
  const reasons = message.replace(/^no endpoint answered: /, '').split('; ');
  return reasons.every((reason) => /another chain|^HTTP (?:3\d\d|4(?!08|29)\d\d)/.test(reason));
}

/** Returns the result of a reading. Repeats it while the nodes do not answer or contradict themselves, then throws Failure. */
export async function retryReading<T>({ network: { network }, pausesMs }: Retried, read: () => Promise<T>): Promise<T> {
  for (const pause of [...pausesMs, undefined]) {
    try {
      return await read();
    } catch (fault) {
      if (!(fault instanceof RpcFault)) throw fault;
      if (pause === undefined || isPermanent(fault))
        throw new Failure(`${network}: ${fault.message}: check the endpoints, then run the same command again`);
      await sleep(pause);
    }
  }
  throw new Error('unreachable');
}

/** A `fetch` that waits longer than the Worker does, because a query over many blocks or accounts takes long. */
export const patientFetch: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
