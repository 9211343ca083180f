import type { UnixSeconds } from '../../lib/brand.ts';
import type { EthereumNetwork } from '../../network/networks.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import type { Account, Nonces } from '../port.ts';
import type { RpcAnswer } from '../rpc-answer.ts';
import type { Ethereum } from './context.ts';
import { type Price, priceOf } from './price.ts';
import * as calls from './rpc.ts';

/** The state of the network at one moment, beside the tokens. */
export interface NetworkConditions {
  readonly nonces: Nonces;
  readonly price: Price;
  /** The network asks more than its `maxFeePerGas`: no block would include a transaction. */
  readonly isTooDear: boolean;
  /** Time of the newest block. */
  readonly time: UnixSeconds;
}

/** The calls whose answers `readConditions` reads, in the same order. */
export function conditionCalls(account: string): RpcCall[] {
  return [...nonceCalls(account), calls.newestBlock, calls.gasPrice, calls.priorityFee];
}

/** The calls whose answers `readNonces` reads, in the same order. */
function nonceCalls(account: string): RpcCall[] {
  return [calls.nonce(account, 'latest'), calls.nonce(account, 'pending')];
}

export function readConditions(answers: readonly RpcAnswer[], network: EthereumNetwork): NetworkConditions {
  const [, , head, gasPrice, tip] = answers;
  const { baseFeePerGas, timestamp } = calls.blockOf(head);
  const quoted = {
    gasPrice: calls.quantityOf(gasPrice),
    baseFee: baseFeePerGas === undefined ? undefined : calls.quantityOf({ result: baseFeePerGas }),
    tip: tip && 'result' in tip ? calls.quantityOf(tip) : undefined,
  };
  return { nonces: readNonces(answers), ...priceOf(quoted, network), time: Number(timestamp) };
}

function readNonces([latest, pending]: readonly RpcAnswer[]): Nonces {
  return { latest: calls.countOf(latest), pending: calls.countOf(pending) };
}

/** Reads the gatekeeper's balance and nonces. */
export async function readAccount({ rpc, gatekeeper }: Pick<Ethereum, 'rpc' | 'gatekeeper'>): Promise<Account> {
  const { address } = gatekeeper;
  const [balance, ...nonces] = await rpc([calls.balance(address), ...nonceCalls(address)]);
  return { balance: calls.quantityOf(balance), nonces: readNonces(nonces) };
}
