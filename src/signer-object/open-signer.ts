import { openChain } from '../chain/open-chain.ts';
import { configOf } from '../config/parse-config.ts';
import { findSigner } from '../config/signers.ts';
import { logFault } from '../log/log.ts';
import type { SignerName } from '../network/signer-name.ts';
import { Lanes } from './lanes.ts';
import type { Signer } from './signer.ts';

/** What a signer object of that name works with; undefined when the configuration no longer has its network or key. */
export function openSigner(name: SignerName, storage: DurableObjectStorage, env: Env): Signer | undefined {
  try {
    const config = configOf(env);
    const enabled = findSigner(config, name);
    if (enabled === undefined) throw new Error('its network or key is not configured');
    const { network, gatekeeper } = enabled;
    const isCompromised = gatekeeper.compromised;
    return {
      name,
      storage,
      network,
      chain: openChain(enabled, config),
      isCompromised,
      lanes: new Lanes(storage.sql),
      superseded: new Set(),
      abandoned: new Set(),
    };
  } catch (fault) {
    logFault('signer-closed', fault, { signer: name });
    return undefined;
  }
}
