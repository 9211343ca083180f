import type { Chain } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';

/** The chain that a network belongs to. Throws for an unknown network. */
export function chainOf(network: string): Chain {
  const row = NETWORKS.find((each) => each.network === network);
  if (row === undefined) throw new Error(`there is no network ${network}`);
  return row.chain;
}
