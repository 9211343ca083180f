import { type Address, type Hex, numberToHex, parseAbi, parseEther, zeroAddress } from 'viem';
import { DEPLOYER_CODE } from '../../../ops/network/deterministic-deployer.ts';
import {
  type BuildName,
  DETERMINISTIC_DEPLOYER,
  gatewayDeploymentOf,
  readGatewayBuild,
} from '../../../ops/network/gateway-build.ts';
import { contractOfBuild, readSlimBuild, slimCreationOf } from '../../../ops/network/slim-build.ts';
import { slotOf } from '../../../src/network/slot.ts';
import { KMS_GATEKEEPERS } from '../kms/gatekeepers.ts';
import { callNode } from './await-node.ts';
import { AUTHORITY, type ContractNode, openContractNode, sendData, waitUntilMined } from './contract-node.ts';
import { GATEKEEPERS } from './gatekeepers.ts';

const ABI = parseAbi([
  'function createNetwork(uint256 network, string name, bool daoGoverned, address daoManager)',
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function isNetworkAuthority(address authority, uint256 network) view returns (bool)',
  'function isGatekeeper(address gatekeeper, uint256 network) view returns (bool)',
]);

/** As much as the node gives to its accounts. */
const GATEKEEPER_WEI = parseEther('10000');

const IN_KMS = Object.values(KMS_GATEKEEPERS.ethereum);
const ALL_GATEKEEPERS = [...GATEKEEPERS, ...IN_KMS];

/**
 * Deploys a contract that nobody commands, with these gatekeeper networks and gatekeepers. Existing parts stay as they are. The node must
 * mine every transaction at once.
 */
export async function installGatewayContract(
  rpcUrl: string,
  gatekeeperNetworks: readonly string[],
  build: BuildName = 'protocol',
): Promise<void> {
  const node = openContractNode(rpcUrl);
  // New anvil chains have it, new hardhat chains lack it.
  if ((await node.getCode({ address: DETERMINISTIC_DEPLOYER })) === undefined)
    await callNode(rpcUrl, 'hardhat_setCode', [DETERMINISTIC_DEPLOYER, DEPLOYER_CODE]);
  await deployContract(node, build);
  // The node funds the others itself.
  for (const address of IN_KMS) {
    if ((await node.getBalance({ address })) === 0n)
      await callNode(rpcUrl, 'hardhat_setBalance', [address, numberToHex(GATEKEEPER_WEI)]);
  }
  await createGatekeeperNetworks(node, contractOfBuild(build), gatekeeperNetworks);
}

/** Deploys the contract as on real networks, through the deterministic deployer. */
async function deployContract(node: ContractNode, build: BuildName): Promise<void> {
  for (const { address, data } of creationsOf(build)) {
    if ((await node.getCode({ address })) === undefined) await sendData(node, DETERMINISTIC_DEPLOYER, data);
  }
}

function creationsOf(build: BuildName) {
  if (build === 'slim') return [slimCreationOf(readSlimBuild())];
  const { implementation, contract } = gatewayDeploymentOf(readGatewayBuild());
  return [implementation, contract];
}

/** Creates these gatekeeper networks in a contract, and adds the gatekeepers of the localnet to each. */
export async function createGatekeeperNetworks(
  node: ContractNode,
  address: Address,
  gatekeeperNetworks: readonly string[],
): Promise<void> {
  const read = { address, abi: ABI } as const;
  const write = { ...read, account: AUTHORITY, chain: null } as const;
  for (const name of gatekeeperNetworks) {
    const slot = slotOf(name) as bigint;
    if (!(await node.readContract({ ...read, functionName: 'isNetworkAuthority', args: [AUTHORITY, slot] }))) {
      const args = [slot, name, false, zeroAddress] as const;
      await waitUntilMined(node, await node.writeContract({ ...write, functionName: 'createNetwork', args }));
    }
    const there = await Promise.all(
      ALL_GATEKEEPERS.map((each) => node.readContract({ ...read, functionName: 'isGatekeeper', args: [each, slot] })),
    );
    const sent: Hex[] = [];
    // One after another, because the node gives each the next nonce of one account.
    for (const gatekeeper of ALL_GATEKEEPERS.filter((_, index) => !there[index])) {
      const args = [gatekeeper, slot] as const;
      sent.push(await node.writeContract({ ...write, functionName: 'addGatekeeper', args }));
    }
    await Promise.all(sent.map((hash) => waitUntilMined(node, hash)));
  }
}
