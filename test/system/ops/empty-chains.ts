import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createPublicClient, type Hex, http, numberToHex, parseAbi, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll } from 'vitest';
import { DEPLOYER_CODE } from '../../../ops/network/deterministic-deployer.ts';
import { DETERMINISTIC_DEPLOYER } from '../../../ops/network/gateway-build.ts';
import { startHardhatChain } from '../../../tools/localnet/ethereum/start-hardhat.ts';
import { startChain } from '../../../tools/localnet/ethereum/start-node.ts';
import type { Node } from '../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { openStateFolder, type StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { callNode } from '../../call-node.ts';

/** Chains without the contract, as real networks are before a deployment. */

/** `polygonAmoy` has no deterministic deployer either. */
const CHAINS = {
  sepolia: [11_155_111, []],
  baseSepolia: [84_532, []],
  polygonAmoy: [80_002, ['--disable-default-create2-deployer']],
} as const;
export type EmptyChain = keyof typeof CHAINS;

const BLOCK_SECONDS = '0.2';
const SETTINGS = { confirmations: 1, final: { depth: 2 }, blockMs: 200 };

const ABI = parseAbi([
  'function isSuperAdmin(address account) view returns (bool)',
  'function isTrustedForwarder(address forwarder) view returns (bool)',
]);

export interface EmptyChains {
  readonly folder: string;
  url(network: EmptyChain): string;
  /**
   * Returns arguments that name the nodes, or these endpoints instead.
   * @param settings More settings of a network in `NETWORKS`.
   */
  nodeArgs(rpc?: Readonly<Record<string, readonly string[]>>, settings?: object): string[];
  /** Returns an account with coins on every chain, and the file with its key. */
  fundedAccount(coins?: string): Promise<{ readonly address: Hex; readonly file: string; readonly key: Hex }>;
  /** Returns arguments that name a new file of transactions, and send without asking. */
  stateArgs(): string[];
}

/** Starts an empty chain whose blocks follow each other by themselves. */
type StartEmptyChain = (network: EmptyChain) => Promise<Node>;

const startOnAnvil: StartEmptyChain = async (network) => {
  const [chainId, flags] = CHAINS[network];
  return startChain(chainId, { network, port: await findFreePort() }, ['--block-time', BLOCK_SECONDS, ...flags]);
};

const GLAMSTERDAM_BLOCK_GAS = 60_000_000;

/**
 * Starts a chain with the rules of Glamsterdam. As on other nodes before Glamsterdam, a transaction on `baseSepolia` may not have more than
 * 16,777,216 gas.
 */
export const startWithGlamsterdam: StartEmptyChain = async (network) => {
  const node = await startHardhatChain(CHAINS[network][0], {
    ...{ network, port: await findFreePort(), hardfork: 'amsterdam', blockGasLimit: GLAMSTERDAM_BLOCK_GAS },
    ...(network === 'baseSepolia' && { transactionGasCap: 16_777_216 }),
  });
  if (network !== 'polygonAmoy')
    await callNode(node.rpcUrl, 'hardhat_setCode', [DETERMINISTIC_DEPLOYER, DEPLOYER_CODE]);
  await callNode(node.rpcUrl, 'evm_setAutomine', [false]);
  await callNode(node.rpcUrl, 'evm_setIntervalMining', [Number(BLOCK_SECONDS) * 1_000]);
  return node;
};

/** Runs the chains for the tests of a file. They are available inside the tests. */
export function useEmptyChains(start = startOnAnvil): EmptyChains {
  let state: StateFolder;
  let nodes: readonly Node[] = [];
  let count = 0;
  const newFile = (name: string) => {
    count += 1;
    return join(state.folder, `${name}-${count}`);
  };
  beforeAll(async () => {
    state = openStateFolder();
    nodes = await Promise.all((Object.keys(CHAINS) as EmptyChain[]).map(start));
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    state?.close();
  });
  const url = (network: string) => nodes.find((node) => node.network === network)?.rpcUrl ?? '';
  return {
    get folder() {
      return state.folder;
    },
    url,
    nodeArgs(rpc = Object.fromEntries(nodes.map(({ network, rpcUrl }) => [network, [rpcUrl]])), settings = {}) {
      const folder = newFile('deployment');
      const networks = Object.fromEntries(Object.keys(CHAINS).map((name) => [name, { ...SETTINGS, ...settings }]));
      const lines = [
        ["DEPLOYMENT='local'"],
        [`NETWORKS='${JSON.stringify(networks)}'`],
        [`RPC_ENDPOINTS='${JSON.stringify(rpc)}'`],
      ];
      mkdirSync(folder);
      writeFileSync(join(folder, 'worker.env'), lines.join('\n'));
      writeFileSync(join(folder, 'localnet.json'), JSON.stringify({ state: folder }));
      return ['--local', '--localnet', join(folder, 'localnet.json')];
    },
    async fundedAccount(coins = '10') {
      const key = generatePrivateKey();
      const { address } = privateKeyToAccount(key);
      for (const { rpcUrl } of nodes)
        await callNode(rpcUrl, 'hardhat_setBalance', [address, numberToHex(parseEther(coins))]);
      const file = newFile('key');
      writeFileSync(file, key, { mode: 0o600 });
      return { address, file, key };
    },
    stateArgs: () => ['--state', newFile('state'), '--yes'],
  };
}

/** The runtime code of the package's proxy. */
export const PROXY_CODE: Hex = createRequire(import.meta.url)(
  '@openzeppelin/contracts/build/contracts/ERC1967Proxy.json',
).deployedBytecode;

/** Reads a chain with viem, independently of the command. */
export function chainOn(url: string) {
  const client = createPublicClient({ transport: http(url) });
  return {
    codeOf: (address: Hex) => client.getCode({ address }),
    sentBy: (address: Hex) => client.getTransactionCount({ address, blockTag: 'pending' }),
    isSuperAdmin: (contract: Hex, account: Hex) =>
      client.readContract({ address: contract, abi: ABI, functionName: 'isSuperAdmin', args: [account] }),
    isForwarder: (contract: Hex, account: Hex) =>
      client.readContract({ address: contract, abi: ABI, functionName: 'isTrustedForwarder', args: [account] }),
  };
}
