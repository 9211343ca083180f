import { type ControlReader, openControlReader } from '../chain/ethereum/read-control.ts';
import { openWatch } from '../chain/open-watch.ts';
import type { WatchPort } from '../chain/watch-port.ts';
import type { Config } from '../config/config.ts';
import { configOf } from '../config/parse-config.ts';
import { signerNamesOf } from '../config/signers.ts';
import { contractOf, type Network, parseSignerName, type SignerName, watchIntervalMs } from '../network/network.ts';
import { rulesFor } from '../network/sandbox.ts';
import type { Owner } from '../store/partners.ts';

/** A network with endpoints, as its watcher sees it. */
export interface WatchedNetwork {
  readonly network: Network;
  /** Whether the configuration lets the watcher follow the chain. It watches the contracts in any case. */
  readonly isFollowed: boolean;
  readonly port: WatchPort;
  /** Undefined on Solana, whose program has another owner. */
  readonly readControls?: ControlReader | undefined;
  readonly endpoints: number;
  readonly intervalMs: number;
  /** All its signers, also retired and compromised ones. */
  readonly signers: readonly SignerName[];
}

/** Whether the account is the gatekeeper of a key of this deployment. */
export function isOwnKey({ signers }: WatchedNetwork, account: string): boolean {
  return signers.some((name) => parseSignerName(name).address.toLowerCase() === account.toLowerCase());
}

/**
 * Whether the passes of the gatekeeper network are in that contract of the network. Anybody may create a gatekeeper network with the same
 * slot in another contract.
 */
export function isInContract(owner: Owner | undefined, network: Network, contract: string): owner is Owner {
  if (owner === undefined || !rulesFor(owner.gatekeeperNetwork).isWatched) return false;
  return contractOf(owner.contracts, network).toLowerCase() === contract.toLowerCase();
}

/** Returns the network as it is watched; undefined if it has no endpoint. */
function openWatchedNetwork(name: string, config: Config): WatchedNetwork | undefined {
  const network = config.networks.find((each) => each.network === name);
  const endpoints = config.rpc[name] ?? [];
  if (network === undefined || endpoints.length === 0) return undefined;
  return {
    network,
    isFollowed: network.watch !== false,
    port: openWatch(network, endpoints, config.slots),
    readControls: network.chain === 'ethereum' ? openControlReader(network, endpoints) : undefined,
    endpoints: endpoints.length,
    intervalMs: watchIntervalMs(network),
    signers: signerNamesOf(config, network),
  };
}

/** Opens the network again only if the configuration has changed: the port has learned the limits of the endpoints. */
export class OpenedNetwork {
  #config: Config | undefined;
  #opened: WatchedNetwork | undefined;

  /** Throws if the configuration is invalid. */
  open(name: string, env: Env): WatchedNetwork | undefined {
    const config = configOf(env);
    if (config !== this.#config) this.#opened = openWatchedNetwork(name, config);
    this.#config = config;
    return this.#opened;
  }
}
