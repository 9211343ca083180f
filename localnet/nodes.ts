import { GATEWAY_TOKEN } from './ethereum/gateway-contract.ts';
import { startEthereumNode } from './ethereum/start-node.ts';
import { GATEWAY_PROGRAM } from './solana/runtime/gateway-addresses.ts';
import { startSolanaNode } from './solana/start-node.ts';
import type { Node, NodeOptions } from './state/node.ts';

/** A network of the localnet: how its node is started, and what is different on it from the network it plays. */
interface NodeRow {
  readonly network: string;
  /** Address of the contract or program that holds the passes. */
  readonly gatewayToken: string;
  /** Overrides of network data, as the Worker's variable `NETWORKS` takes them. */
  readonly settings: Readonly<Record<string, unknown>>;
  start(options: NodeOptions): Promise<Node>;
}

const ONE_BLOCK_PER_SECOND = { confirmations: 1, final: { depth: 2 }, unmined: 1000, blockMs: 1000 };

export const NODES: readonly NodeRow[] = [
  ethereumRow('sepolia', 11_155_111),
  ethereumRow('baseSepolia', 84_532),
  {
    network: 'devnet',
    gatewayToken: GATEWAY_PROGRAM,
    settings: { unmined: 1000, blockMs: 400 },
    start: startSolanaNode,
  },
];

function ethereumRow(network: string, chainId: number): NodeRow {
  return {
    network,
    gatewayToken: GATEWAY_TOKEN,
    settings: ONE_BLOCK_PER_SECOND,
    start: (options) => startEthereumNode(chainId, options),
  };
}
