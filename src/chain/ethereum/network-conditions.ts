import type { EthereumNetwork } from '../../network/networks.ts';
import type { RpcAnswer } from '../json-rpc.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import type { Nonces, Terms } from '../port.ts';
import * as rpc from './calls.ts';
import { type Price, priceOf } from './price.ts';

/** What the chain is like at the moment, beside the tokens themselves. */
export interface NetworkConditions {
  readonly nonces: Nonces;
  readonly price: Price;
  /** The network asks more than its `maxFeePerGas`: no block would take what is sent. */
  readonly isTooDear: boolean;
  /** When the newest block was made, in Unix seconds. */
  readonly time: number;
}

/** The calls that tell it; `readMoment` reads their answers, in the same order. */
export function conditionCalls(account: string): RpcCall[] {
  return [...nonceCalls(account), rpc.newestBlock, rpc.gasPrice, rpc.priorityFee];
}

/** The calls that tell where the account's nonces stand; `readNonces` reads their answers, in the same order. */
export function nonceCalls(account: string): RpcCall[] {
  return [rpc.nonce(account, 'latest'), rpc.nonce(account, 'pending')];
}

export function readConditions(answers: readonly RpcAnswer[], network: EthereumNetwork): NetworkConditions {
  const [, , head, gasPrice, tip] = answers;
  const { baseFeePerGas, timestamp } = rpc.blockOf(head);
  const asked = {
    gasPrice: rpc.quantityOf(gasPrice),
    baseFee: baseFeePerGas === undefined ? undefined : rpc.quantityOf({ result: baseFeePerGas }),
    tip: tip && 'result' in tip ? rpc.quantityOf(tip) : undefined,
  };
  return { nonces: readNonces(answers), ...priceOf(asked, network), time: Number(timestamp) };
}

export function readNonces([latest, pending]: readonly RpcAnswer[]): Nonces {
  return { latest: rpc.countOf(latest), pending: rpc.countOf(pending) };
}

/** What signing needs to know. */
export function termsOf({ nonces, price }: NetworkConditions): Terms {
  return { nonces, fees: { fee: String(price.fee), tip: String(price.tip) } };
}
