import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Child, startChild } from '../../../terminal/child-process.ts';
import { Failure } from '../../../terminal/failure.ts';
import { GATEKEEPER_NETWORKS } from '../oauth/partners.ts';
import type { Hardfork, Node, NodeOptions } from '../state/node.ts';
import { awaitNode, callNode } from './await-node.ts';
import { installGatewayContract } from './gateway-contract.ts';
import { startHardhatChain } from './start-hardhat.ts';

/** Room for 1,000 mints in a block: 272k gas each before Glamsterdam, with limits up to 30 % above. */
const BLOCK_GAS_LIMIT = 400_000_000;
/**
 * The state after that many last blocks stays readable, from memory. By default anvil writes every older state to `~/.foundry`, where a
 * killed node leaves it: gigabytes for an hour of a busy chain.
 */
const STATES_MAX_COUNT = 200;

/**
 * Starts a chain with that id and the gateway contract.
 * @param blockSeconds Time between blocks. The clock of the chain counts whole seconds, so with less it runs ahead.
 */
export async function startEthereumNode(chainId: number, options: NodeOptions, blockSeconds = 1): Promise<Node> {
  const { hardfork, contract } = options;
  if (hardfork !== undefined) return startHardhatNode(chainId, { ...options, hardfork }, blockSeconds);
  const keepsTime = !Number.isInteger(blockSeconds);
  const node = await startChain(chainId, options, keepsTime ? ['--block-time', String(blockSeconds)] : []);
  // Until here anvil mines every transaction at once, if blocks take whole seconds. From here on it mines at intervals.
  await installGatewayContract(node.rpcUrl, GATEKEEPER_NETWORKS, contract);
  // After the start, anvil accepts whole seconds only.
  if (!keepsTime) await callNode(node.rpcUrl, 'evm_setIntervalMining', [blockSeconds]);
  return node;
}

async function startHardhatNode(
  chainId: number,
  options: NodeOptions & { readonly hardfork: Hardfork },
  blockSeconds: number,
): Promise<Node> {
  const node = await startHardhatChain(chainId, { ...options, blockGasLimit: BLOCK_GAS_LIMIT });
  await installGatewayContract(node.rpcUrl, GATEKEEPER_NETWORKS, options.contract);
  await callNode(node.rpcUrl, 'evm_setAutomine', [false]);
  // Unlike anvil, hardhat counts milliseconds.
  await callNode(node.rpcUrl, 'evm_setIntervalMining', [blockSeconds * 1000]);
  return node;
}

/** Starts a chain with that id, without the contract. By default it mines every transaction at once. */
export async function startChain(
  chainId: number,
  { network, port, state }: NodeOptions,
  flags: readonly string[] = [],
): Promise<Node> {
  const options = {
    port,
    host: '127.0.0.1',
    'chain-id': chainId,
    'gas-limit': BLOCK_GAS_LIMIT,
    'prune-history': STATES_MAX_COUNT,
    ...stateOptions(network, state),
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = await startAnvil(network, [...args, ...flags, '--quiet']);
  return awaitNode({ program: 'anvil', network, chainId, port }, child);
}

/** The chain is written to disk every second, so that it survives any end of the node. */
function stateOptions(network: string, state: string | undefined) {
  return state === undefined ? {} : { state: join(state, `${network}.json`), 'state-interval': 1 };
}

async function startAnvil(network: string, args: readonly string[]): Promise<Child> {
  try {
    return await startChild(findAnvil(), args);
  } catch {
    throw new Failure(
      `${network}: there is no anvil for this machine among the packages: install Foundry (https://getfoundry.sh) so that \`anvil\` is in the PATH`,
    );
  }
}

/** Returns the npm package with anvil for a machine. The lockfile has those for Linux and macOS. */
export function anvilPackageFor(platform: string, arch: string): string {
  return `@foundry-rs/anvil-${platform}-${arch === 'x64' ? 'amd64' : arch}`;
}

/** Returns the binary of the package, or the one in the PATH. */
function findAnvil(): string {
  try {
    return createRequire(import.meta.url).resolve(`${anvilPackageFor(process.platform, process.arch)}/bin/anvil`);
  } catch {
    return 'anvil';
  }
}
