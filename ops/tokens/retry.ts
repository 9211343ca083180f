import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultCode, RpcFault } from '../../src/chain/port.ts';
import { backoff } from '../../src/lib/units.ts';
import { Failure } from '../../terminal/failure.ts';

/** The first pause before another try. A provider often limits requests per minute, so all pauses together take a minute. */
export const PAUSE_MS = 250;
const PAUSE_MAX_MS = 60_000;
const TRIES = 9;
const TIMEOUT_MS = 60_000;

/** A source of tokens, with the pause before the second try of a reading. It doubles before each further try. */
export interface Retried {
  readonly network: { readonly network: string };
  readonly pauseMs: number;
}

const PERMANENT: readonly FaultCode[] = ['another-chain', 'redirect', 'unauthorized', 'not-found'];

/** Whether another try cannot help, because every endpoint serves another chain or refuses its URL. */
export const isPermanent = ({ codes }: RpcFault): boolean => codes.every((code) => PERMANENT.includes(code));

/** Returns the result of a reading. Repeats it while the nodes do not answer or contradict themselves, then throws Failure. */
export async function retryReading<T>(source: Retried, read: () => Promise<T>): Promise<T> {
  try {
    return await repeatReading(source, read, TRIES);
  } catch (fault) {
    if (!(fault instanceof RpcFault)) throw fault;
    throw new Failure(
      `${source.network.network}: ${fault.message}: check the endpoints, then run the same command again`,
    );
  }
}

/** Returns the result of a reading. Throws the last RpcFault, or one that no other try can prevent. */
export async function repeatReading<T>({ pauseMs }: Retried, read: () => Promise<T>, tries: number): Promise<T> {
  for (let failed = 0; ; failed += 1) {
    try {
      return await read();
    } catch (fault) {
      if (!(fault instanceof RpcFault) || failed === tries - 1 || isPermanent(fault)) throw fault;
      await sleep(backoff(pauseMs, failed, PAUSE_MAX_MS));
    }
  }
}

/** A `fetch` that waits longer than the Worker does, because a query over many blocks or accounts takes long. */
export const patientFetch: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
