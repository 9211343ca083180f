import type { Address, Hex } from 'viem';
import { DETERMINISTIC_DEPLOYER, gatewayDeploymentOf, readGatewayBuild } from '../../scripts/gateway-build.ts';
import { type ContractNode, openContractNode, sendData } from './contract-node.ts';

/** The address of Civic's contract on every network that has it. */
export const CIVIC_CONTRACT = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';

/**
 * Installs an imitation of Civic's contract at its address: the real code, initialized with that super admin, who can change it.
 * It has no gatekeeper network.
 */
export async function installCivicContract(rpcUrl: string, superAdmin: Address): Promise<void> {
  const node = openContractNode(rpcUrl);
  const { implementation, contract } = gatewayDeploymentOf(readGatewayBuild(), { admin: superAdmin });
  if ((await node.getCode({ address: implementation.address })) === undefined)
    await sendData(node, DETERMINISTIC_DEPLOYER, implementation.data);
  const creation = await sendData(node, DETERMINISTIC_DEPLOYER, contract.data);
  await copyCreated(node, creation, contract.address, CIVIC_CONTRACT);
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
