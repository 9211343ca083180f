import type { GatekeeperNetwork } from '../../src/network/slot.ts';
import type { NetworkNodes, Nodes } from '../nodes/open-nodes.ts';
import { openReader } from '../tokens/open-reader.ts';

/** Returns how many tokens each of the gatekeepers issued that are not revoked. It reads all tokens of the gatekeeper network. */
export async function countTokensOf(
  gatekeepers: readonly string[],
  nodes: NetworkNodes,
  gatekeeperNetwork: GatekeeperNetwork,
  slots: Nodes['slots'],
  say: (line: string) => void,
): Promise<Map<string, number>> {
  const counts = new Map(gatekeepers.map((address) => [address, 0]));
  for await (const { tokens } of openReader(nodes, { gatekeeperNetwork, slots, say })()) {
    for (const { issuer, state } of tokens) {
      const count = counts.get(issuer);
      if (count !== undefined && state !== 'REVOKED') counts.set(issuer, count + 1);
    }
  }
  return counts;
}
