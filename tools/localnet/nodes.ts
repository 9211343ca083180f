import type { BuildName } from '../../ops/network/gateway-build.ts';
import { contractOfBuild } from '../../ops/network/slim-build.ts';
import { OWNERLESS_CONTRACT } from '../../src/network/networks.ts';
import { startEthereumNode } from './ethereum/start-node.ts';
import { GATEWAY_PROGRAM } from './solana/runtime/gateway-addresses.ts';
import { startSolanaNode } from './solana/start-node.ts';
import type { Node, NodeOptions } from './state/node.ts';

/** A network of the localnet: how its node starts, and how it differs from the real network. */
interface NodeRow {
  readonly network: string;
  /** Returns the address of the contract or program with the gateway tokens. */
  gatewayToken(build?: BuildName): string;
  /** Overrides of network data in the form of the Worker's variable `NETWORKS`. */
  readonly settings: Readonly<Record<string, unknown>>;
  start(options: NodeOptions): Promise<Node>;
}

const ONE_BLOCK_PER_SECOND = { confirmations: 1, final: { depth: 2 }, unmined: 1000, blockMs: 1000 };

export const NODES: readonly NodeRow[] = [
  ethereumRow('sepolia', 11_155_111),
  ethereumRow('baseSepolia', 84_532),
  {
    network: 'devnet',
    gatewayToken: () => GATEWAY_PROGRAM,
    settings: { unmined: 1000, blockMs: 400 },
    start: startSolanaNode,
  },
];

/** Returns the Worker's variable `NETWORKS` of the localnet, with changes to some networks. */
export function networkSettings(changes: Readonly<Record<string, object>> = {}): string {
  const all = NODES.map(({ network, settings }) => [network, { ...settings, ...changes[network] }]);
  return JSON.stringify(Object.fromEntries(all));
}

/** Returns the changes to networks whose contract is not the default one. */
export function contractSettings(contracts: Readonly<Record<string, string>>): Record<string, { gateway: string }> {
  const others = Object.entries(contracts).filter(([, each]) => each.startsWith('0x') && each !== OWNERLESS_CONTRACT);
  return Object.fromEntries(others.map(([network, gateway]) => [network, { gateway }]));
}

function ethereumRow(network: string, chainId: number): NodeRow {
  return {
    network,
    gatewayToken: (build = 'protocol') => contractOfBuild(build),
    settings: ONE_BLOCK_PER_SECOND,
    start: (options) => startEthereumNode(chainId, options),
  };
}
