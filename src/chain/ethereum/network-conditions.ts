import { bytesToHex, concat, encodeAbiParameters } from 'viem/utils';
import type { UnixSeconds } from '../../lib/brand.ts';
import type { EthereumNetwork } from '../../network/network.ts';
import { errorKindOf } from '../error-kind.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import type { Account, Nonces } from '../port.ts';
import { type RpcAnswer, resultOf } from '../rpc-answer.ts';
import type { Wei } from '../units.ts';
import type { Ethereum } from './context.ts';
import { type Price, priceOf } from './price.ts';
import * as calls from './rpc.ts';

/** The state of the network at one moment, apart from tokens. */
export interface NetworkConditions {
  readonly nonces: Nonces;
  readonly price: Price;
  /** Whether the network charges more than `maxFeePerGas`, so that no block would include a transaction. */
  readonly isTooDear: boolean;
  /** Whether the L1 data fee is above `maxL1Fee`. A transaction cannot limit it. */
  readonly isL1TooDear: boolean;
  /** Time of the newest block. */
  readonly time: UnixSeconds;
}

/** Returns the calls whose answers `readConditions` expects, in the same order. */
export function conditionCalls(account: string, { maxL1Fee }: EthereumNetwork): RpcCall[] {
  const prices = [calls.gasPrice, calls.priorityFee];
  // The number of calls is the same on every network, so that callers can separate their own answers from these.
  return [
    ...nonceCalls(account),
    calls.newestBlock,
    ...prices,
    maxL1Fee === undefined ? calls.gasPrice : callForL1Fee(),
  ];
}

/** Length of a signed mint. The sample is random and cannot be compressed, so the L1 data fee of any other call is lower. */
const SAMPLE_BYTES = 420;
const SAMPLE = new Uint8Array(SAMPLE_BYTES).map((_, index) => (index * index * 31 + index * 167) % 256);

let l1FeeCall: RpcCall | undefined;

/** Returns the OP stack call `GasPriceOracle.getL1Fee(bytes)`, a predeploy at the same address on every such chain. */
function callForL1Fee(): RpcCall {
  l1FeeCall ??= calls.call({
    to: '0x420000000000000000000000000000000000000F',
    data: concat(['0x49948e0e', encodeAbiParameters([{ type: 'bytes' }], [bytesToHex(SAMPLE)])]),
  });
  return l1FeeCall;
}

/** Returns the L1 data fee; undefined on a local chain, which lacks the contract. Throws RpcFault if the call failed. */
function l1FeeOf(answer: RpcAnswer | undefined): Wei | undefined {
  const result = resultOf(answer);
  return result === '0x' ? undefined : calls.quantityOf({ result });
}

/** Returns the calls whose answers `readNonces` expects, in the same order. */
function nonceCalls(account: string): RpcCall[] {
  return [calls.nonce(account), calls.nonceAt(account, 'pending')];
}

export function readConditions(answers: readonly RpcAnswer[], network: EthereumNetwork): NetworkConditions {
  const [, , head, gasPrice, tip, l1Fee] = answers;
  const { baseFeePerGas, timestamp } = calls.blockOf(head);
  const quoted = {
    gasPrice: calls.quantityOf(gasPrice),
    baseFee: baseFeePerGas === undefined ? undefined : calls.quantityOf({ result: baseFeePerGas }),
    tip: tip && 'result' in tip ? calls.quantityOf(tip) : undefined,
    l1Fee: network.maxL1Fee === undefined ? undefined : l1FeeOf(l1Fee),
  };
  const priced = priceOf(quoted, network);
  const isL1TooDear = (priced.price.l1Fee ?? 0n) > BigInt(network.maxL1Fee ?? 0);
  return { nonces: readNonces(answers), ...priced, isL1TooDear, time: Number(timestamp) };
}

/** A node without a block of pending transactions shows none. Any other error of that call may hide some. */
function readNonces([latest, pending]: readonly RpcAnswer[]): Nonces {
  const count = calls.countOf(latest);
  const hasNone = pending !== undefined && 'error' in pending && errorKindOf(pending.error) === 'lacking';
  return { latest: count, pending: hasNone ? count : calls.countOf(pending) };
}

/** Reads the gatekeeper's balance and nonces. */
export async function readAccount({ rpc, gatekeeper }: Pick<Ethereum, 'rpc' | 'gatekeeper'>): Promise<Account> {
  const { address } = gatekeeper;
  const [balance, ...nonces] = await rpc([calls.balance(address), ...nonceCalls(address)]);
  return { balance: calls.quantityOf(balance), nonces: readNonces(nonces) };
}
