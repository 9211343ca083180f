import { type Address, type Hex, parseAbi, zeroAddress } from 'viem';
import { DETERMINISTIC_DEPLOYER, gatewayDeploymentOf, readGatewayBuild } from '../../../ops/network/gateway-build.ts';
import { slotOf } from '../../../src/network/slot.ts';
import { type ContractNode, openContractNode, sendData, waitUntilMined } from './contract-node.ts';
import { GATEKEEPERS } from './gatekeepers.ts';
import { createGatekeeperNetworks } from './gateway-contract.ts';

/** The address of Civic's contract on every network that has it. */
export const CIVIC_CONTRACT = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';

/**
 * Installs an imitation of Civic's contract at its address: the real code, initialized with that super admin, who can change it.
 * These gatekeeper networks exist in it, with the gatekeepers of the localnet.
 */
export async function installCivicContract(
  rpcUrl: string,
  superAdmin: Address,
  gatekeeperNetworks: readonly string[] = [],
): Promise<void> {
  const node = openContractNode(rpcUrl);
  const { implementation, contract } = gatewayDeploymentOf(readGatewayBuild(), { admin: superAdmin });
  if ((await node.getCode({ address: implementation.address })) === undefined)
    await sendData(node, DETERMINISTIC_DEPLOYER, implementation.data);
  const creation = await sendData(node, DETERMINISTIC_DEPLOYER, contract.data);
  await copyCreated(node, creation, contract.address, CIVIC_CONTRACT);
  await createGatekeeperNetworks(node, CIVIC_CONTRACT, gatekeeperNetworks);
}

const MINT = parseAbi([
  'struct Charge { uint256 value; uint8 chargeType; address token; address tokenSender; address recipient }',
  'function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge charge) payable',
]);
const NO_CHARGE = { value: 0n, chargeType: 0, token: zeroAddress, tokenSender: zeroAddress, recipient: zeroAddress };

/** Issues a token without an expiry in the imitation, in the name of the localnet's first gatekeeper. */
export async function issueInCivicContract(rpcUrl: string, wallet: Address, gatekeeperNetwork: string): Promise<void> {
  const node = openContractNode(rpcUrl);
  const hash = await node.writeContract({
    account: GATEKEEPERS[0],
    chain: null,
    address: CIVIC_CONTRACT,
    abi: MINT,
    functionName: 'mint',
    args: [wallet, slotOf(gatekeeperNetwork) as bigint, 0n, 0n, NO_CHARGE],
  });
  await waitUntilMined(node, hash);
}

/**
 * Copies code and storage of a contract that a transaction created to another address. The contract can be initialized only while
 * it is created, and its creation cannot choose this address.
 */
async function copyCreated(node: ContractNode, creation: Hex, from: Address, to: Address): Promise<void> {
  const trace = { method: 'debug_traceTransaction', params: [creation, STATE_CHANGES] };
  const { post } = (await node.request(trace as never)) as { readonly post: Readonly<Record<string, Created>> };
  const { code, storage } = post[from.toLowerCase()] as Created;
  for (const [index, value] of Object.entries(storage))
    await node.setStorageAt({ address: to, index: index as Hex, value });
  await node.setCode({ address: to, bytecode: code });
}

interface Created {
  readonly code: Hex;
  readonly storage: Readonly<Record<string, Hex>>;
}

const STATE_CHANGES = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };
