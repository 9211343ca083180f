import type { Milliseconds } from '../lib/brand.ts';
import { within } from '../lib/with-timeout.ts';

/** A signer may read many passes for the reconciliation, and a list of calls to a node takes up to two minutes. */
const CALL_TIMEOUT_MS = 150_000;

/**
 * Returns the stub of an object with calls that fail after a time. Without it, an object that hangs would hold a queue batch or a
 * run of the reconciliation until the platform ends it.
 */
export function boundCalls<T extends object>(stub: T, what: string, timeoutMs: Milliseconds = CALL_TIMEOUT_MS): T {
  return new Proxy(stub, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => within(timeoutMs, Reflect.apply(member, target, args), what);
    },
  });
}
