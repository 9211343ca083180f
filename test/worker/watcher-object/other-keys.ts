import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { configOf } from '../../../src/config/parse-config.ts';
import { signerNamesOf } from '../../../src/config/signers.ts';
import { configureObject, keepAlive } from '../configure-object.ts';
import { bindings, signer } from '../consumer/deliver.ts';
import { type TestWatcher, variablesFor } from './a-watcher.ts';

/** Configurations without the key of the passes. */

const drawn = crypto.getRandomValues(new Uint8Array(32));
export const ANOTHER_KEY = {
  ETHEREUM_GATEKEEPER_KEY: Array.from(drawn, (byte) => byte.toString(16).padStart(2, '0')).join(''),
};
export const NO_KEY = { ETHEREUM_GATEKEEPER_KEY: undefined };

/** The signers of sepolia in a configuration. */
function signersIn(variables: object) {
  const config = configOf({ ...bindings, ...variables });
  const network = config.networks.find((each) => each.network === 'sepolia');
  return network ? signerNamesOf(config, network).map((name) => bindings.SIGNERS.getByName(name)) : [];
}

/** The signers and the watcher have other variables from now on. The signer of the passes has them until it restarts. */
export async function configureKeys(watcher: TestWatcher, variables: Readonly<Record<string, unknown>>): Promise<void> {
  const changed = { ...variablesFor(), ...variables };
  await evictDurableObject(signer());
  await configureObject(signer(), changed);
  for (const object of signersIn(variables)) {
    keepAlive(object);
    await configureObject(object, changed);
  }
  await configureObject(watcher.object, changed);
}

/** The signer of the passes has its key again, and waits for it no longer. */
export async function restoreSigner(): Promise<void> {
  await evictDurableObject(signer());
  await runInDurableObject(signer(), (object) => object.alarm());
}
