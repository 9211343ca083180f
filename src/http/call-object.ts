import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';

/** How long one object is waited for: the others must be seen though it hangs. */
const CALL_TIMEOUT_MS = 5_000;

/** What an object answers the operator; undefined when it cannot be reached, or not in time. */
export async function callObject<T>(
  ask: () => Promise<T>,
  kind: 'pass' | 'signer',
  name: string,
): Promise<T | undefined> {
  try {
    return await withTimeout(CALL_TIMEOUT_MS, ask(), undefined);
  } catch (fault) {
    logFault(`${kind}-unreachable`, fault, { [kind]: name });
    return undefined;
  }
}
