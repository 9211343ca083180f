import { encodeFunctionData, parseAbi } from 'viem/utils';
import { inject } from 'vitest';
import { deployedBytecode } from '../../packages/contracts/artifacts/SlimGateway.json';
import { slotOf } from '../../src/network/slot.ts';
import { callNode } from '../call-node.ts';
import { CIVIC_CONTRACT } from '../default-contract.ts';

const ABI = parseAbi([
  'function createNetwork(uint256 network, string name, bool daoGoverned, address daoManager)',
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function isGatekeeper(address gatekeeper, uint256 network) view returns (bool)',
]);
const NOBODY = '0x0000000000000000000000000000000000000000';
/** The place of the implementation in a proxy (ERC-1967). */
const IMPLEMENTATION = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';

const call = <T = string>(method: string, ...params: unknown[]): Promise<T> =>
  callNode(inject('localnet').rpc.sepolia as string, method, params);

/**
 * Installs a second contract on sepolia, at Civic's address: a proxy of the same implementation. It has the gatekeeper networks of
 * the partners, and the service's key as their gatekeeper, as the first contract has. A repeated call changes nothing.
 */
export async function installSecondContract(): Promise<void> {
  const { gatewayToken } = inject('localnet');
  await call('anvil_setCode', CIVIC_CONTRACT, await call('eth_getCode', gatewayToken.sepolia, 'latest'));
  const implementation = await call('eth_getStorageAt', gatewayToken.sepolia, IMPLEMENTATION, 'latest');
  await call('anvil_setStorageAt', CIVIC_CONTRACT, IMPLEMENTATION, implementation);
  await admitGatekeepers(CIVIC_CONTRACT);
}

/** A contract on sepolia of the build SlimGateway, whose code has no constructor. */
export const SLIM_CONTRACT = '0x5100000000000000000000000000000000000051';

/** Installs it, with the same gatekeeper networks and gatekeepers. A repeated call changes nothing. */
export async function installSlimContract(): Promise<void> {
  await call('anvil_setCode', SLIM_CONTRACT, deployedBytecode);
  await admitGatekeepers(SLIM_CONTRACT);
}

/** Creates the gatekeeper networks of the partners in a contract, and admits the service's key. */
async function admitGatekeepers(contract: string): Promise<void> {
  const { gatekeeper, partners } = inject('localnet');
  const [authority] = await call<string[]>('eth_accounts');
  for (const name of new Set(partners.map(({ gatekeeperNetwork }) => gatekeeperNetwork))) {
    const slot = slotOf(name) as bigint;
    const added = [gatekeeper.ethereum as `0x${string}`, slot] as const;
    const isAdded = encodeFunctionData({ abi: ABI, functionName: 'isGatekeeper', args: added });
    if (Number(await call('eth_call', { to: contract, data: isAdded }, 'latest')) === 1) continue;
    for (const data of [
      encodeFunctionData({ abi: ABI, functionName: 'createNetwork', args: [slot, name, false, NOBODY] }),
      encodeFunctionData({ abi: ABI, functionName: 'addGatekeeper', args: added }),
    ]) {
      const hash = await call('eth_sendTransaction', { from: authority, to: contract, data, gas: '0x7a120' });
      await call('anvil_mine', '0x1');
      const receipt = await call<{ status: string } | null>('eth_getTransactionReceipt', hash);
      if (receipt?.status !== '0x1') throw new Error('the contract refuses its authority');
    }
  }
}
