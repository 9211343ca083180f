import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';

/** The operator must see the other objects even if one does not answer. */
const CALL_TIMEOUT_MS = 5_000;

/** Returns the answer of an object; undefined if it cannot be reached or does not answer in time. */
export async function callObject<T>(
  call: () => Promise<T>,
  kind: 'pass' | 'signer' | 'webhook',
  name: string,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<T | undefined> {
  try {
    return await withTimeout(timeoutMs, call(), undefined);
  } catch (fault) {
    logFault(`${kind}.unreachable`, fault, { [kind]: name });
    return undefined;
  }
}
