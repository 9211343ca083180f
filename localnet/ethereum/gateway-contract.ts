import { createRequire } from 'node:module';
import {
  type Address,
  createTestClient,
  type Hex,
  http,
  pad,
  parseAbi,
  publicActions,
  walletActions,
  zeroAddress,
} from 'viem';
import { slotOf } from '../../src/network/slot.ts';
import { GATEKEEPERS } from './gatekeepers.ts';

/** The address of GatewayToken on every network. */
export const GATEWAY_TOKEN = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';

/** The account that deploys the contract and is the authority of the gatekeeper networks: the first one, unlocked in the node. */
const AUTHORITY = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
/** Storage slot of an ERC-1967 proxy with the address of its implementation. */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';

const ABI = parseAbi([
  'function createNetwork(uint256 network, string name, bool daoGoverned, address daoManager)',
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function isNetworkAuthority(address authority, uint256 network) view returns (bool)',
  'function isGatekeeper(address gatekeeper, uint256 network) view returns (bool)',
]);

const GATEWAY = { address: GATEWAY_TOKEN, abi: ABI } as const;
const BY_AUTHORITY = { ...GATEWAY, account: AUTHORITY, chain: null } as const;

/**
 * Deploys the real GatewayToken at its real address, with these gatekeeper networks and gatekeepers. Existing parts stay as they are.
 * The node must mine every transaction at once.
 */
export async function installGatewayToken(rpcUrl: string, gatekeeperNetworks: readonly string[]): Promise<void> {
  const node = clientOf(rpcUrl);
  if ((await node.getCode({ address: GATEWAY_TOKEN })) === undefined) await installProxy(node);
  for (const name of gatekeeperNetworks) {
    const slot = slotOf(name) as bigint;
    if (!(await node.readContract({ ...GATEWAY, functionName: 'isNetworkAuthority', args: [AUTHORITY, slot] }))) {
      const args = [slot, name, false, zeroAddress] as const;
      await waitUntilMined(node, await node.writeContract({ ...BY_AUTHORITY, functionName: 'createNetwork', args }));
    }
    await addGatekeepers(node, slot);
  }
}

async function addGatekeepers(node: Node, network: bigint): Promise<void> {
  const isThere = (gatekeeper: Address) =>
    node.readContract({ ...GATEWAY, functionName: 'isGatekeeper', args: [gatekeeper, network] });
  const there = await Promise.all(GATEKEEPERS.map(isThere));
  const sent: Hex[] = [];
  // One after another, because the node gives each the next nonce of one account.
  for (const gatekeeper of GATEKEEPERS.filter((_, index) => !there[index])) {
    const args = [gatekeeper, network] as const;
    sent.push(await node.writeContract({ ...BY_AUTHORITY, functionName: 'addGatekeeper', args }));
  }
  await Promise.all(sent.map((hash) => waitUntilMined(node, hash)));
}

/**
 * Deploys the contract as on real networks: a proxy with an implementation. The proxy's code is last, so that existing code means a
 * complete deployment.
 */
async function installProxy(node: Node): Promise<void> {
  const data = loadArtifact(
    '@identity.com/gateway-eth-ts/dist/contracts/abi/GatewayToken.sol/GatewayToken.json',
  ).bytecode;
  const { contractAddress } = await waitUntilMined(
    node,
    await node.sendTransaction({ account: AUTHORITY, chain: null, data }),
  );
  const implementation = pad(contractAddress as Address, { size: 32 });
  await node.setStorageAt({ address: GATEWAY_TOKEN, index: IMPLEMENTATION_SLOT, value: implementation });
  const proxy = loadArtifact('@openzeppelin/contracts/build/contracts/ERC1967Proxy.json').deployedBytecode;
  await node.setCode({ address: GATEWAY_TOKEN, bytecode: proxy });
}

async function waitUntilMined(node: Node, hash: Hex) {
  const receipt = await node.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error(`transaction ${hash} of the contract's installation failed`);
  return receipt;
}

function loadArtifact(path: string) {
  return createRequire(import.meta.url)(path) as { readonly bytecode: Hex; readonly deployedBytecode: Hex };
}

type Node = ReturnType<typeof clientOf>;

function clientOf(rpcUrl: string) {
  return createTestClient({ mode: 'anvil', transport: http(rpcUrl), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions);
}
