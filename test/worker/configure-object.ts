import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { type PassKey, passName } from '../../src/pass/pass.ts';

const { PASSES } = env as Env;

/** Longer than any test file runs. */
const FILE_MAX_MS = 3_600_000;

/** Gives the object other variables and bindings than the deployment until it restarts. */
export const configureObject = (
  stub: DurableObjectStub,
  changes: Readonly<Record<string, unknown>>,
): Promise<unknown> => runInDurableObject(stub, (object) => Object.assign(object, { env: { ...env, ...changes } }));

/** Gives a pass object other variables and bindings until the file ends. */
export async function configurePassObject(key: PassKey, changes: Readonly<Record<string, unknown>>): Promise<void> {
  const object = PASSES.getByName(passName(key));
  keepAlive(object);
  await configureObject(object, changes);
}

/**
 * Keeps the object from a restart until the file ends, by a request that does not end. The runtime ends an object that is idle
 * for ten seconds, which happens to any object on a busy machine, and a test then loses the variables that it gave.
 */
export function keepAlive(stub: DurableObjectStub): void {
  void runInDurableObject(stub, () => scheduler.wait(FILE_MAX_MS)).catch(() => {});
}
