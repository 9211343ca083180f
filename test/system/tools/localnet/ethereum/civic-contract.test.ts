import { createWalletClient, http, parseAbi, publicActions } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OWNERLESS_CONTRACT } from '../../../../../src/network/networks.ts';
import { stopChildren } from '../../../../../terminal/child-process.ts';
import {
  CIVIC_CONTRACT,
  installCivicContract,
  issueInCivicContract,
} from '../../../../../tools/localnet/ethereum/civic-contract.ts';
import { startEthereumNode } from '../../../../../tools/localnet/ethereum/start-node.ts';
import { GATEKEEPER_NETWORKS } from '../../../../../tools/localnet/oauth/partners.ts';
import type { Node } from '../../../../../tools/localnet/state/node.ts';
import { findFreePort } from '../../../../../tools/localnet/state/ports.ts';
import { dAppAccepts } from '../../../../../tools/localnet/witness/on-chain-token.ts';

const ABI = parseAbi([
  'function name() view returns (string)',
  'function isSuperAdmin(address account) view returns (bool)',
  'function isTrustedForwarder(address forwarder) view returns (bool)',
  'function addForwarder(address forwarder)',
  'function initialize(string name, string symbol, address superAdmin, address flagsStorage, address[] forwarders)',
]);
const account = (addressIndex: number) =>
  mnemonicToAccount('test test test test test test test test test test test junk', { addressIndex });
const [SUPER_ADMIN, STRANGER] = [account(4), account(5)];

let node: Node;

beforeAll(async () => {
  node = await startEthereumNode(11_155_111, { network: 'sepolia', port: await findFreePort() });
  await installCivicContract(node.rpcUrl, SUPER_ADMIN.address, GATEKEEPER_NETWORKS);
});
afterAll(stopChildren);

function contractAs(sender: typeof SUPER_ADMIN, address: typeof CIVIC_CONTRACT | typeof OWNERLESS_CONTRACT) {
  const client = createWalletClient({ account: sender, transport: http(node.rpcUrl) }).extend(publicActions);
  const on = { address, abi: ABI } as const;
  return {
    name: () => client.readContract({ ...on, functionName: 'name' }),
    isSuperAdmin: () => client.readContract({ ...on, functionName: 'isSuperAdmin', args: [sender.address] }),
    isForwarder: () => client.readContract({ ...on, functionName: 'isTrustedForwarder', args: [sender.address] }),
    simulateForwarder: () =>
      client.simulateContract({ ...on, functionName: 'addForwarder', args: [sender.address], account: sender }),
    simulateInitialize: () => {
      const args = ['x', 'x', sender.address, sender.address, []] as const;
      return client.simulateContract({ ...on, functionName: 'initialize', args, account: sender });
    },
    async addForwarder() {
      const { request } = await this.simulateForwarder();
      await client.waitForTransactionReceipt({ hash: await client.writeContract(request), pollingInterval: 50 });
    },
  };
}

it('the imitation of Civic’s contract is initialized and has the super admin that it was given', async () => {
  expect(await contractAs(STRANGER, CIVIC_CONTRACT).name()).toBe('Gateway Protocol');
  expect(await contractAs(SUPER_ADMIN, CIVIC_CONTRACT).isSuperAdmin()).toBe(true);
  expect(await contractAs(STRANGER, CIVIC_CONTRACT).isSuperAdmin()).toBe(false);
  expect(await contractAs(SUPER_ADMIN, OWNERLESS_CONTRACT).isSuperAdmin()).toBe(false);
  for (const sender of [SUPER_ADMIN, STRANGER])
    await expect(contractAs(sender, CIVIC_CONTRACT).simulateInitialize()).rejects.toThrow(/already initialized/);
});

it('only the super admin of the imitation adds a forwarder, and nobody adds one to the ownerless contract', async () => {
  await expect(contractAs(STRANGER, CIVIC_CONTRACT).simulateForwarder()).rejects.toThrow(/reverted/);
  await expect(contractAs(SUPER_ADMIN, OWNERLESS_CONTRACT).simulateForwarder()).rejects.toThrow(/reverted/);
  const contract = contractAs(SUPER_ADMIN, CIVIC_CONTRACT);
  expect(await contract.isForwarder()).toBe(false);
  await contract.addForwarder();
  expect(await contract.isForwarder()).toBe(true);
});

it('a token of the imitation counts there, and not in the ownerless contract beside it', async () => {
  const [gatekeeperNetwork = ''] = GATEKEEPER_NETWORKS;
  const wallet = STRANGER.address;
  await issueInCivicContract(node.rpcUrl, wallet, gatekeeperNetwork);
  expect(await dAppAccepts(node.rpcUrl, wallet, gatekeeperNetwork, CIVIC_CONTRACT)).toBe(true);
  expect(await dAppAccepts(node.rpcUrl, wallet, gatekeeperNetwork)).toBe(false);
});
