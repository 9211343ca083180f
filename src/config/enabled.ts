import type { Secret } from '../lib/secret.ts';
import { type EthereumNetwork, findNetwork, type Network } from '../network/networks.ts';
import type { Config } from './config.ts';
import type { Gatekeeper } from './gatekeeper.ts';

/** A network on which passes can be issued: it has an endpoint, a key and a known contract. */
export interface EnabledNetwork {
  readonly network: EthereumNetwork & { readonly gateway: `0x${string}` };
  readonly endpoints: readonly Secret<string>[];
  readonly gatekeeper: Gatekeeper;
}

/** What it takes to issue on that network; undefined when something of it is not configured. */
export function enabledNetwork(config: Config, network: Network): EnabledNetwork | undefined {
  if (network.chain !== 'ethereum' || network.gateway === undefined) return undefined;
  const endpoints = config.rpc[network.network] ?? [];
  const gatekeeper = config.gatekeepers[network.chain];
  if (gatekeeper === undefined || endpoints.length === 0) return undefined;
  return { network: { ...network, gateway: network.gateway }, endpoints, gatekeeper };
}

/** The signer objects are named after what they sign for; a pass keeps the name it was given. */
export function signerName({ network, gatekeeper }: EnabledNetwork): string {
  return [network.chain, network.network, gatekeeper.address].join('/');
}

/** The network and key a signer object signs for; undefined when the configuration no longer has them. */
export function signerNamed(config: Config, name: string): EnabledNetwork | undefined {
  const [chain = '', network = ''] = name.split('/');
  const row = findNetwork(config.networks, chain, network);
  const enabled = row && enabledNetwork(config, row);
  return enabled && signerName(enabled) === name ? enabled : undefined;
}
