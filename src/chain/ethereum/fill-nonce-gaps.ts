import { mayBeBehind } from '../plan-step.ts';
import type { Signed } from '../port.ts';
import type { RpcAnswer } from '../rpc-answer.ts';
import type { Ethereum } from './context.ts';
import { conditionCalls, readConditions } from './network-conditions.ts';
import * as calls from './rpc.ts';
import { signTransaction } from './sign.ts';
import { addGasMargin } from './simulate.ts';

/** Gas of a transfer. Chains that charge for their data on another chain need more. */
const TRANSFER_GAS = 21_000n;
/** The part of a network's `maxGas` that a transfer may have. */
const TRANSFER_MAX_PART = 10;

/**
 * Sends a transfer of nothing to the own address at each of these nonces. The nodes' answers do not matter: if the node
 * has such a transaction already, or the nonce is used up, the gap is closed as well. Sends nothing while the node may
 * be behind its chain: transactions that it does not show may exist.
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

/** A transfer needs far less gas than a call of the contract may have, so an endpoint cannot ask for more. */
function gasOf(estimate: RpcAnswer | undefined, { maxGas }: Ethereum['network']): bigint {
  if (estimate === undefined || 'error' in estimate) return TRANSFER_GAS;
  const gas = calls.quantityOf(estimate);
  const most = BigInt(Math.floor(maxGas / TRANSFER_MAX_PART));
  return gas === TRANSFER_GAS ? gas : [addGasMargin(gas), most].reduce((a, b) => (a < b ? a : b));
}
