import type { Milliseconds } from '../lib/units.ts';
import { within, withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';

/** The operator must see the other objects even if one does not answer. */
const ANSWER_TIMEOUT_MS = 5_000;

type ObjectKind = 'pass' | 'signer' | 'webhook' | 'watcher' | 'metrics' | 'quota';

/** Returns the answer of an object; undefined if it cannot be reached or does not answer in time. */
export function callObject<T>(
  call: () => Promise<T>,
  kind: ObjectKind,
  name: string,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<T | undefined> {
  return reachObject(() => withTimeout(timeoutMs, call(), undefined), kind, name);
}

/** Returns the answer of an object; undefined, and a line in the log, if it cannot be reached. */
export async function reachObject<T>(
  call: () => Promise<T>,
  kind: ObjectKind,
  name: string | undefined,
): Promise<T | undefined> {
  try {
    return await call();
  } catch (fault) {
    logFault(`${kind}.unreachable`, fault, { [kind]: name });
    return undefined;
  }
}

/** A signer may read many passes for the reconciliation, and a list of calls to a node takes up to two minutes. */
const CALL_TIMEOUT_MS = 150_000;

/**
 * Returns the stub of an object with calls that fail after a time. Without it, an object that hangs would hold a queue batch or a
 * run of the reconciliation until the platform ends it.
 */
export function boundCalls<T extends object>(
  stub: T,
  what: string,
  timeoutMs: Milliseconds = CALL_TIMEOUT_MS,
  bound = within,
): T {
  return new Proxy(stub, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => bound(timeoutMs, Reflect.apply(member, target, args), what);
    },
  });
}
