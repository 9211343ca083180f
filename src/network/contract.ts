import type { Network } from './network.ts';

/** The contract of a gatekeeper network by Ethereum-type network. A network is absent until its contract is chosen. */
export type Contracts = Readonly<Record<string, string>>;

/** Returns the contract of a gatekeeper network: the chosen one, or else the network's default. On Solana, it is the program. */
export function contractOf(contracts: Contracts, network: Network): string {
  if (network.chain === 'solana') return network.program;
  return contracts[network.network] ?? network.gateway;
}
