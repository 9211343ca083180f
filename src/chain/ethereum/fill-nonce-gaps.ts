import { mayBeBehind } from '../plan-step.ts';
import type { Signed } from '../port.ts';
import type { RpcAnswer } from '../rpc-answer.ts';
import type { Ethereum } from './context.ts';
import { conditionCalls, readConditions } from './network-conditions.ts';
import * as calls from './rpc.ts';
import { signTransaction } from './sign.ts';
import { addGasMargin } from './simulate.ts';

/** Gas of a transfer. Chains that pay for their data on another chain need more. */
const TRANSFER_GAS = 21_000n;
/** A transfer may use at most `maxGas` divided by this number. */
const TRANSFER_MAX_PART = 10;

/**
 * Signs an empty transfer to the own address at each of these nonces. The nodes' answers to the broadcast do not matter: if the
 * node already has such a transaction, or the nonce is used, the gap is closed too. It signs nothing while the node may be behind
 * its chain, because transactions that the node does not show may exist.
 */
export async function signGapFillers(
  { rpc, network, gatekeeper }: Pick<Ethereum, 'rpc' | 'network' | 'gatekeeper'>,
  nonces: readonly number[],
): Promise<(Signed & { nonce: number })[]> {
  if (nonces.length === 0) return [];
  const { address } = gatekeeper;
  const transfer = { from: address, to: address, value: '0x0' };
  const [estimate, ...answers] = await rpc([calls.estimateGas(transfer), ...conditionCalls(address, network)]);
  const { price, time } = readConditions(answers, network);
  if (mayBeBehind(time, Date.now())) return [];
  const gas = gasOf(estimate, network);
  return Promise.all(
    nonces.map(async (nonce) => ({
      nonce,
      ...(await signTransaction(gatekeeper, network, { to: address, gas, nonce }, price)),
    })),
  );
}

/** Returns the gas limit. A transfer needs far less gas than a call of the contract, so a high estimate is cut. */
function gasOf(estimate: RpcAnswer | undefined, { maxGas }: Ethereum['network']): bigint {
  if (estimate === undefined || 'error' in estimate) return TRANSFER_GAS;
  const gas = calls.quantityOf(estimate);
  const most = BigInt(Math.floor(maxGas / TRANSFER_MAX_PART));
  return gas === TRANSFER_GAS ? gas : [addGasMargin(gas), most].reduce((a, b) => (a < b ? a : b));
}
