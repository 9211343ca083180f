import { type Hex, parseAbi, zeroAddress } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import { mintData } from '../../../../src/chain/ethereum/gateway.ts';
import { slotOf } from '../../../../src/network/slot.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { callSepolia, mine } from './node.ts';

/** Changes the contract as others do: as an authority of the gatekeeper network, and as another gatekeeper. */

const ABI = parseAbi([
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function removeGatekeeper(address gatekeeper, uint256 network)',
  'function setNetworkFeatures(uint256 network, uint256 mask)',
  'function createNetwork(uint256 network, string name, bool daoGoverned, address daoManager)',
]);

const GAS = '0x7a120';
const slotOfStep = ({ key }: Step) => slotOf(key.gatekeeperNetwork) as bigint;

/** The authority of the localnet's gatekeeper networks, and an account that no gatekeeper of the service has. */
export async function accounts(): Promise<{ readonly authority: Hex; readonly other: Hex }> {
  const [authority, , other] = await callSepolia<[Hex, Hex, Hex]>('eth_accounts');
  return { authority, other };
}

/** Sends a transaction and mines it. Returns its hash and its block. */
export async function sendAs(
  from: Hex,
  to: string,
  data: Hex,
): Promise<{ readonly transaction: Hex; readonly at: number }> {
  const transaction = await callSepolia<Hex>('eth_sendTransaction', { from, to, data, gas: GAS });
  await mine();
  const receipt = await callSepolia<{ status: Hex; blockNumber: Hex }>('eth_getTransactionReceipt', transaction);
  if (receipt.status !== '0x1') throw new Error(`the transaction ${transaction} had no effect`);
  return { transaction, at: Number(receipt.blockNumber) };
}

/** The authority of the step's gatekeeper network changes the role of an account. */
export async function setGatekeeper(step: Step, account: Hex, isGatekeeper: boolean) {
  const functionName = isGatekeeper ? 'addGatekeeper' : 'removeGatekeeper';
  const data = encodeFunctionData({ abi: ABI, functionName, args: [account, slotOfStep(step)] });
  return sendAs((await accounts()).authority, step.contract, data);
}

/** The authority sets the features of the step's gatekeeper network. */
export async function setFeatures(step: Step, mask: bigint) {
  const data = encodeFunctionData({ abi: ABI, functionName: 'setNetworkFeatures', args: [slotOfStep(step), mask] });
  return sendAs((await accounts()).authority, step.contract, data);
}

/** A stranger creates a gatekeeper network with that slot, and becomes its authority. */
export async function createNetwork(step: Step, slot: bigint) {
  const args = [slot, 'another', false, zeroAddress] as const;
  const data = encodeFunctionData({ abi: ABI, functionName: 'createNetwork', args });
  return sendAs((await accounts()).authority, step.contract, data);
}

/** The other gatekeeper mints a token for the step's wallet. */
export async function mintAsOther(step: Step, expiry?: number) {
  return sendAs((await accounts()).other, step.contract, mintData(step.key.wallet, slotOfStep(step), expiry));
}
