import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createPublicClient, type Hex, http, numberToHex, parseAbi, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll } from 'vitest';
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

/** Runs the chains for the tests of a file. They are available inside the tests. */
export function useEmptyChains(): EmptyChains {
  let state: StateFolder;
  let nodes: readonly Node[] = [];
  let count = 0;
  const newFile = (name: string) => {
    count += 1;
    return join(state.folder, `${name}-${count}`);
  };
  beforeAll(async () => {
    state = openStateFolder();
    nodes = await Promise.all(
      Object.entries(CHAINS).map(async ([network, [chainId, flags]]) =>
        startChain(chainId, { network, port: await findFreePort() }, ['--block-time', BLOCK_SECONDS, ...flags]),
      ),
    );
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
        await callNode(rpcUrl, 'anvil_setBalance', [address, numberToHex(parseEther(coins))]);
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
