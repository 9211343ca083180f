import type { Milliseconds } from '../lib/units.ts';
import { within, withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { rulesFor } from '../network/sandbox.ts';
import { type Pass, passName } from '../pass/pass.ts';

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

/** A request waits for the sandbox of its pass. */
const SANDBOX_TIMEOUT_MS = 2_000;

/** Returns how many seconds the clock of the gatekeeper network is ahead of the time: 0, unless it is a sandbox. */
export async function secondsAhead(gatekeeperNetwork: string, { SANDBOXES }: Pick<Env, 'SANDBOXES'>): Promise<number> {
  if (!rulesFor(gatekeeperNetwork).hasClock) return 0;
  return within(SANDBOX_TIMEOUT_MS, SANDBOXES.getByName(gatekeeperNetwork).secondsAhead(), 'the sandbox');
}

/** Adds a new pass to those of its sandbox. Returns whether there was room for it: always, if its gatekeeper network is none. */
export async function admitPass({ key }: Pick<Pass, 'key'>, { SANDBOXES }: Pick<Env, 'SANDBOXES'>): Promise<boolean> {
  const { gatekeeperNetwork } = key;
  if (!rulesFor(gatekeeperNetwork).forgetsPasses) return true;
  return within(SANDBOX_TIMEOUT_MS, SANDBOXES.getByName(gatekeeperNetwork).admit(passName(key)), 'the sandbox');
}
