import { openChain } from '../chain/open-chain.ts';
import { configOf } from '../config/parse-config.ts';
import { findSigner } from '../config/signers.ts';
import { logFault } from '../log/log.ts';
import type { Network } from '../network/network.ts';
import type { SignerName } from '../network/signer-name.ts';
import { openStore } from '../store/open-store.ts';
import { Lanes } from './lanes.ts';
import type { Signer } from './signer.ts';
import { Spending } from './spending.ts';
import { SuspendedClients } from './suspended-clients.ts';

/** Returns the in-memory parts of a signer. A restart creates new ones. */
export function signerMemory(
  storage: DurableObjectStorage,
  name: SignerName,
  network: Network,
  readSuspended: () => Promise<readonly string[]>,
): Pick<Signer, 'lanes' | 'spending' | 'suspended' | 'withdrawals'> {
  return {
    lanes: new Lanes(storage.sql),
    spending: new Spending(storage.sql, name, network),
    suspended: new SuspendedClients(storage, name, readSuspended),
    withdrawals: new Map(),
  };
}

/** Returns the parts of the signer object with that name; undefined if the configuration no longer has its network or key. */
export function openSigner(name: SignerName, storage: DurableObjectStorage, env: Env): Signer | undefined {
  try {
    const config = configOf(env);
    const enabled = findSigner(config, name);
    if (enabled === undefined)
      throw new Error('its network or key is not configured: its steps wait until the configuration has both');
    const { network, gatekeeper } = enabled;
    const isCompromised = gatekeeper.compromised;
    return {
      name,
      storage,
      network,
      chain: openChain(enabled, config),
      isCompromised,
      ...signerMemory(storage, name, network, () => openStore(env).findSuspendedClients()),
    };
  } catch (fault) {
    logFault('signer.not_configured', fault, { signer: name });
    return undefined;
  }
}
