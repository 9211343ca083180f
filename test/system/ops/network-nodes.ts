import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address } from '@solana/kit';
import {
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  numberToHex,
  parseAbi,
  parseEther,
  publicActions,
  zeroAddress,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll } from 'vitest';
import { createKeyFile } from '../../../ops/network/key-files.ts';
import { runNetworkCommand } from '../../../ops/network.ts';
import { gatekeeperAccount } from '../../../src/chain/solana/gateway.ts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { slotOf } from '../../../src/network/slot.ts';
import { GATEKEEPER_KEYS, GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { startEthereumNode } from '../../../tools/localnet/ethereum/start-node.ts';
import { networkSettings } from '../../../tools/localnet/nodes.ts';
import { SOLANA_GATEKEEPER_KEYS, SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { GATEWAY_PROGRAM } from '../../../tools/localnet/solana/runtime/gateway-addresses.ts';
import { startSolanaNode } from '../../../tools/localnet/solana/start-node.ts';
import type { Node } from '../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { openStateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { callNode } from '../../call-node.ts';
import { runCommand } from './run-command.ts';

/** The chains of the localnet with fast blocks, and a file that describes them as `npm run dev` does. */

const CHAIN_IDS = { sepolia: 11_155_111, baseSepolia: 84_532 } as const;
const BLOCK_SECONDS = 0.2;
const SLOT_MS = 40;

const ABI = parseAbi([
  'function getNetwork(uint256) view returns (string)',
  'function isGatekeeper(address, uint256) view returns (bool)',
  'function isNetworkAuthority(address, uint256) view returns (bool)',
  'struct Charge { uint256 value; uint8 chargeType; address token; address tokenSender; address recipient }',
  'function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge charge) payable',
  'function revoke(uint256 tokenId)',
  'function createNetwork(uint256 network, string name, bool daoGoverned, address daoManager)',
  'function setNetworkFeatures(uint256 network, uint256 mask)',
  'function getTokenIdsByOwnerAndNetwork(address, uint256, bool) view returns (uint256[])',
]);

const NO_CHARGE = { value: 0n, chargeType: 0, token: zeroAddress, tokenSender: zeroAddress, recipient: zeroAddress };

interface NetworkNodes {
  readonly folder: string;
  /** Arguments that name the nodes. */
  readonly args: readonly string[];
  url(network: string): string;
  stop(): Promise<void>;
}

/** The gatekeepers of the deployment. */
export const KEYS_ON_ETHEREUM = GATEKEEPERS.slice(0, 2);
export const KEYS_ON_SOLANA = SOLANA_GATEKEEPERS.slice(0, 2);

/** Runs the nodes for the tests of a file. They are available inside the tests. */
export function useNetworkNodes(): Omit<NetworkNodes, 'stop'> {
  let nodes: NetworkNodes;
  beforeAll(async () => {
    nodes = await startNetworkNodes();
  });
  afterAll(() => nodes?.stop());
  return {
    get folder() {
      return nodes.folder;
    },
    get args() {
      return nodes.args;
    },
    url: (network) => nodes.url(network),
  };
}

export const network = (args: readonly string[]) => runCommand(runNetworkCommand, args);

/** Returns the arguments that name a file of transactions and send without asking. */
export const stateArgs = ({ folder }: Pick<NetworkNodes, 'folder'>, name: string) => [
  '--state',
  join(folder, `${name}.state.json`),
  '--yes',
];

async function startNetworkNodes(): Promise<NetworkNodes> {
  const state = openStateFolder();
  const on = async (network: string) => ({ network, port: await findFreePort(), state: undefined });
  const nodes: Node[] = [];
  for (const [network, chainId] of Object.entries(CHAIN_IDS))
    nodes.push(await startEthereumNode(chainId, await on(network), BLOCK_SECONDS));
  nodes.push(await startSolanaNode(await on('devnet'), { slotMs: SLOT_MS }));
  const rpc = Object.fromEntries(nodes.map(({ network, rpcUrl }) => [network, rpcUrl]));
  const worker = {
    DEPLOYMENT: 'local',
    NETWORKS: networkSettings(),
    RPC_ENDPOINTS: JSON.stringify(Object.fromEntries(Object.entries(rpc).map(([network, url]) => [network, [url]]))),
    ETHEREUM_GATEKEEPER_KEY: GATEKEEPER_KEYS.slice(0, 2).join(' '),
    SOLANA_GATEKEEPER_KEY: SOLANA_GATEKEEPER_KEYS.slice(0, 2).join(' '),
  };
  mkdirSync(state.folder, { recursive: true });
  const lines = Object.entries(worker).map(([name, value]) => `${name}='${value}'`);
  writeFileSync(join(state.folder, 'worker.env'), lines.join('\n'));
  const localnet = join(state.folder, 'localnet.json');
  writeFileSync(localnet, JSON.stringify({ state: state.folder }));
  return {
    folder: state.folder,
    args: ['--local', '--localnet', localnet],
    url: (network) => rpc[network] ?? '',
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      state.close();
    },
  };
}

/** Returns a new account with coins on both Ethereum-type networks, and its key in a file. */
export async function fundedAuthority(
  { folder, url }: Pick<NetworkNodes, 'folder' | 'url'>,
  name: string,
  coins = '10',
) {
  const key: Hex = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`;
  const { address } = privateKeyToAccount(key);
  for (const network of Object.keys(CHAIN_IDS))
    await callNode(url(network), 'anvil_setBalance', [address, numberToHex(parseEther(coins))]);
  const file = join(folder, `${name}.hex`);
  writeFileSync(file, key, { mode: 0o600 });
  return { address, file };
}

/** Returns the key pair of a new gatekeeper network with lamports, and its file. */
export async function fundedKeyPair(
  { folder, url }: Pick<NetworkNodes, 'folder' | 'url'>,
  name: string,
  lamports = 1_000_000_000,
) {
  const file = join(folder, `${name}.json`);
  const key = createKeyFile(file);
  await fundOnSolana(url('devnet'), key, lamports);
  return { key, file };
}

export async function fundOnSolana(url: string, key: string, lamports: number): Promise<void> {
  await callNode(url, 'localnet_setAccount', [key, { lamports, owner: '1'.repeat(32) }]);
}

/** Reads the program's account, independently of the command. */
export async function isGatekeeperOnSolana(url: string, key: string, gatekeeper: string): Promise<boolean> {
  const account = gatekeeperAccount(GATEWAY_PROGRAM, gatekeeper as Address, key as Address);
  const { value } = (await callNode(url, 'getAccountInfo', [account, { commitment: 'finalized' }])) as {
    value: { owner: string } | null;
  };
  return value?.owner === GATEWAY_PROGRAM;
}

/** Returns the number of transactions with the key. */
export async function countOnSolana(url: string, key: string): Promise<number> {
  return ((await callNode(url, 'getSignaturesForAddress', [key])) as unknown[]).length;
}

/** Reads the contract with viem, independently of the command. */
export function contractOn(url: string, key: string) {
  const client = createPublicClient({ transport: http(url) });
  const slot = slotOf(key) as bigint;
  const on = { address: OWNERLESS_CONTRACT, abi: ABI } as const;
  return {
    name: () => client.readContract({ ...on, functionName: 'getNetwork', args: [slot] }),
    isGatekeeper: (address: string) =>
      client.readContract({ ...on, functionName: 'isGatekeeper', args: [address as Hex, slot] }),
    isAuthority: (address: string) =>
      client.readContract({ ...on, functionName: 'isNetworkAuthority', args: [address as Hex, slot] }),
    sentBy: (address: string) => client.getTransactionCount({ address: address as Hex, blockTag: 'pending' }),
  };
}

/**
 * Sets the feature that the removal of a gatekeeper voids its tokens. The account of the key, an authority and a gatekeeper,
 * issues a token to each wallet and revokes the first one.
 */
export async function issueAndVoid(
  url: string,
  key: Hex,
  gatekeeperNetwork: string,
  wallets: readonly Hex[],
): Promise<void> {
  const account = privateKeyToAccount(key);
  const client = createWalletClient({ account, transport: http(url), pollingInterval: 50 }).extend(publicActions);
  const slot = slotOf(gatekeeperNetwork) as bigint;
  const on = { address: OWNERLESS_CONTRACT, abi: ABI } as const;
  const confirmed = async (sent: Promise<Hex>) => {
    const { status } = await client.waitForTransactionReceipt({ hash: await sent });
    if (status !== 'success') throw new Error(`transaction ${await sent} failed`);
  };
  const write = { ...on, chain: null } as const;
  await confirmed(client.writeContract({ ...write, functionName: 'setNetworkFeatures', args: [slot, 1n] }));
  for (const wallet of wallets)
    await confirmed(client.writeContract({ ...write, functionName: 'mint', args: [wallet, slot, 0n, 0n, NO_CHARGE] }));
  const [first = '0x'] = wallets;
  const read = { ...on, functionName: 'getTokenIdsByOwnerAndNetwork', args: [first, slot, false] } as const;
  const [id = 0n] = await client.readContract(read);
  await confirmed(client.writeContract({ ...write, functionName: 'revoke', args: [id] }));
  // A scan reads final blocks only.
  await callNode(url, 'anvil_mine', ['0x4']);
}

/** Creates the gatekeeper network with another account. */
export async function createNetwork(url: string, key: Hex, gatekeeperNetwork: string, name: string): Promise<void> {
  const client = createWalletClient({ account: privateKeyToAccount(key), transport: http(url) }).extend(publicActions);
  const hash = await client.writeContract(creation(gatekeeperNetwork, name));
  const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 50 });
  if (status !== 'success') throw new Error(`transaction ${hash} failed`);
}

/** Sends the creation with an empty name and a price above all others, so that it comes first in the next block. */
export async function createNetworkFirst(url: string, key: Hex, gatekeeperNetwork: string): Promise<void> {
  const client = createWalletClient({ account: privateKeyToAccount(key), transport: http(url) });
  const price = { maxFeePerGas: 500_000_000_000n, maxPriorityFeePerGas: 400_000_000_000n, gas: 1_000_000n };
  await client.writeContract({ ...creation(gatekeeperNetwork, ''), ...price });
  await callNode(url, 'evm_mine', []);
}

const creation = (gatekeeperNetwork: string, name: string) =>
  ({
    address: OWNERLESS_CONTRACT,
    abi: ABI,
    chain: null,
    functionName: 'createNetwork',
    args: [slotOf(gatekeeperNetwork) as bigint, name, false, zeroAddress],
  }) as const;
