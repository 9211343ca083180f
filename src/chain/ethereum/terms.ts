import type { Hex } from 'viem';
import type { EthereumNetwork } from '../../network/networks.ts';
import { type RpcAnswer, type RpcCall, resultOf } from '../json-rpc.ts';
import { RpcFault, type Terms } from '../port.ts';
import * as rpc from './calls.ts';

/** The calls that tell fees and nonces of the moment; `readTerms` reads their answers, in the same order. */
export function termsCalls(account: string): RpcCall[] {
  return [
    rpc.chainId,
    rpc.nonce(account, 'latest'),
    rpc.nonce(account, 'pending'),
    rpc.block('latest'),
    rpc.gasPrice,
    rpc.priorityFee,
  ];
}

/** Added to the gas price of chains without EIP-1559 fees, in percent: it may rise until the next blocks. */
const LEGACY_MARGIN = 20n;

/** What signing needs to know. Throws RpcFault when the endpoint serves another chain: nothing may be signed for it. */
export function readTerms(answers: readonly RpcAnswer[], network: EthereumNetwork): Terms {
  const [chainId, latest, pending, head, gasPrice, priorityFee] = answers;
  demandChain(chainId, network);
  const { baseFeePerGas } = resultOf<rpc.Block>(head);
  const nonces = { latest: Number(resultOf<Hex>(latest)), pending: Number(resultOf<Hex>(pending)) };
  const price = BigInt(resultOf<Hex>(gasPrice));
  if (network.fees === 'legacy') {
    return { nonces, fees: { gasPrice: String((price * (100n + LEGACY_MARGIN)) / 100n) } };
  }
  const base = BigInt(baseFeePerGas ?? 0);
  // Not every node knows eth_maxPriorityFeePerGas; the gas price holds a tip as well.
  const suggested = priorityFee && 'result' in priorityFee ? BigInt(priorityFee.result as Hex) : price - base;
  const tip = suggested > 0n ? suggested : 0n;
  // Twice the base fee outlasts six full blocks in a row (EIP-1559: at most an eighth more each).
  return { nonces, fees: { maxFeePerGas: String(base * 2n + tip), maxPriorityFeePerGas: String(tip) } };
}

/** Throws RpcFault when the endpoint serves another chain: what it says of ours is wrong. */
export function demandChain(chainId: RpcAnswer | undefined, network: EthereumNetwork): void {
  if (Number(resultOf<Hex>(chainId)) !== network.chainId) throw new RpcFault('the endpoint serves another chain');
}

/** When the newest block was made, in Unix seconds; from the same answers. */
export function headTime(answers: readonly RpcAnswer[]): number {
  const [, , , head] = answers;
  return Number(resultOf<rpc.Block>(head).timestamp);
}
