import type { Secret } from '../lib/secret.ts';
import { type EthereumNetwork, findNetwork, type Network, type SolanaNetwork } from '../network/networks.ts';
import type { Config } from './config.ts';
import type { Gatekeepers } from './gatekeeper.ts';

interface Enabled<N extends Network> {
  readonly chain: N['chain'];
  readonly network: N;
  readonly endpoints: readonly Secret<string>[];
  readonly gatekeeper: NonNullable<Gatekeepers[N['chain']]>;
}

export type EnabledEthereum = Enabled<EthereumNetwork & { readonly gateway: `0x${string}` }>;
export type EnabledSolana = Enabled<SolanaNetwork>;

/** A network on which passes can be issued: it has an endpoint, a key and a known contract or program. */
export type EnabledNetwork = EnabledEthereum | EnabledSolana;

/** What it takes to issue on that network; undefined when something of it is not configured. */
export function enabledNetwork(config: Config, network: Network): EnabledNetwork | undefined {
  const endpoints = config.rpc[network.network] ?? [];
  if (endpoints.length === 0) return undefined;
  const { ethereum, solana } = config.gatekeepers;
  const { chain } = network;
  if (chain === 'solana') return solana && { chain, network, endpoints, gatekeeper: solana };
  const { gateway } = network;
  return gateway && ethereum && { chain, network: { ...network, gateway }, endpoints, gatekeeper: ethereum };
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

/** Whether the configuration has the key a signer object signs with, its network enabled or not. */
export function holdsKey({ gatekeepers }: Config, name: string): boolean {
  const [, , address] = name.split('/');
  return Object.values(gatekeepers).some((gatekeeper) => gatekeeper?.address === address);
}
