import * as AbiParameters from 'ox/AbiParameters';
import { bytesToHex } from '../../lib/bytes.ts';
import type { Milliseconds } from '../../lib/units.ts';
import { type EthereumNetwork, STUCK_BLOCKS } from '../../network/network.ts';
import { measureBlockMs, type NewestBlock } from '../block-age.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import type { FinalNonce, Nonces, SenderAccount } from '../port.ts';
import { needsAnother, type RpcAnswer, resultOf } from '../rpc-answer.ts';
import type { Wei } from '../units.ts';
import { ETHEREUM_ERRORS, errorKindOf } from './node-answers.ts';
import type { Ethereum } from './rpc.ts';
import * as calls from './rpc.ts';

/** The state of the network at one moment, apart from tokens. */
export interface NetworkConditions {
  readonly nonces: Nonces;
  readonly price: Price;
  /** Whether the network charges more than `maxFeePerGas`, so that no block would include a transaction. */
  readonly isTooDear: boolean;
  /** Whether the L1 data fee is above `maxL1Fee`. A transaction cannot limit it. */
  readonly isL1TooDear: boolean;
  readonly newest: NewestBlock;
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
    data: `0x49948e0e${AbiParameters.encode([{ type: 'bytes' }], [bytesToHex(SAMPLE)]).slice(2)}`,
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
  const newest = calls.blockOf(head);
  const { baseFeePerGas } = newest;
  const quoted = {
    gasPrice: calls.quantityOf(gasPrice),
    baseFee: baseFeePerGas === undefined ? undefined : calls.quantityOf({ result: baseFeePerGas }),
    tip: tip && 'result' in tip ? calls.quantityOf(tip) : undefined,
    l1Fee: network.maxL1Fee === undefined ? undefined : l1FeeOf(l1Fee),
  };
  const priced = priceOf(quoted, network);
  const isL1TooDear = (priced.price.l1Fee ?? 0n) > BigInt(network.maxL1Fee ?? 0);
  return { nonces: readNonces(answers), ...priced, isL1TooDear, newest: calls.newestOf(newest) };
}

/** A node without a block of pending transactions shows none. Any other error of that call may hide some. */
function readNonces([latest, pending]: readonly RpcAnswer[]): Nonces {
  const count = calls.countOf(latest);
  if (pending === undefined || !('error' in pending)) return { latest: count, pending: calls.countOf(pending) };
  return { latest: count, pending: errorKindOf(pending.error) === 'lacking' ? count : undefined };
}

export async function readAccount({ rpc, gatekeeper }: Pick<Ethereum, 'rpc' | 'gatekeeper'>): Promise<SenderAccount> {
  const { address } = gatekeeper;
  const [balance, ...nonces] = await rpc([calls.balance(address), ...nonceCalls(address)]);
  return { balance: calls.quantityOf(balance), nonces: readNonces(nonces) };
}

/** The maximum price per unit of gas. Without EIP-1559 fees, fee and tip are both the gas price. */
export interface Price {
  /** The total, including the tip. */
  readonly fee: Wei;
  /** The part of `fee` that goes to the block's producer. */
  readonly tip: Wei;
  /** Maximum L1 data fee of a transaction; undefined: the network charges none besides gas. */
  readonly l1Fee?: Wei;
}

/** Added to the gas price of chains without EIP-1559 fees, because it may rise until the next blocks. */
const LEGACY_MARGIN_PERCENT = 20n;

/** Prices per unit of gas, as a node quotes them. */
export interface QuotedPrices {
  readonly gasPrice: Wei;
  /** Undefined on chains without EIP-1559 fees, and if the node does not show it. */
  readonly baseFee?: Wei | undefined;
  /** Undefined if the node does not support `eth_maxPriorityFeePerGas`. */
  readonly tip?: Wei | undefined;
  /** Current L1 data fee of a transaction; undefined: the network charges none besides gas. */
  readonly l1Fee?: Wei | undefined;
}

/** The L1 data fee may be higher by the time that a block includes the transaction. */
const L1_FEE_MARGIN_TIMES = 2n;

/**
 * Returns the current price, never above the network's fee caps for gas. `isTooDear` is true if the network charges more than
 * `maxFeePerGas`, so that no block would include the transaction. Pure.
 */
export function priceOf(
  quoted: QuotedPrices,
  { fees, maxFeePerGas, maxTipPerGas }: EthereumNetwork,
): { price: Price; isTooDear: boolean } {
  const cap = BigInt(maxFeePerGas);
  const data = quoted.l1Fee === undefined ? undefined : { l1Fee: quoted.l1Fee * L1_FEE_MARGIN_TIMES };
  if (fees === 'legacy') {
    const gasPrice = minOf((quoted.gasPrice * (100n + LEGACY_MARGIN_PERCENT)) / 100n, cap);
    return { price: { fee: gasPrice, tip: gasPrice, ...data }, isTooDear: quoted.gasPrice > cap };
  }
  const { gasPrice } = quoted;
  // The gas price includes a tip.
  const tip = minOf(maxOf(quoted.tip ?? gasPrice - (quoted.baseFee ?? 0n), 0n), BigInt(maxTipPerGas));
  const baseFee = quoted.baseFee ?? maxOf(gasPrice - tip, 0n);
  // Twice the base fee outlasts six full blocks in a row (EIP-1559: at most an eighth more each).
  const fee = minOf(baseFee * 2n + tip, cap);
  return { price: { fee, tip: minOf(tip, fee), ...data }, isTooDear: baseFee + tip > cap };
}

/** A replacement tips at most this multiple of the market's tip. No price helps if a provider does not propagate it. */
const TIP_MAX_TIMES = 20n;

/**
 * Returns the price of a replacement: fee and tip an eighth higher (nodes require 10 or 12.5 %), or the current price if that is
 * higher. Undefined in these cases:
 * - an eighth more is above the network's `maxFeePerGas` or `maxTipPerGas`
 * - the tip is above both `TIP_MAX_TIMES` the market's tip and the network's `tipLimitFloor`
 *
 * On chains without EIP-1559 fees, the tip is the gas price. Pure.
 */
export function replacementPrice(
  old: Pick<Price, 'fee' | 'tip'>,
  current: Price,
  { fees, maxFeePerGas, maxTipPerGas, tipLimitFloor }: EthereumNetwork,
): Price | undefined {
  const cap = BigInt(maxFeePerGas);
  const tipCap = fees === 'legacy' ? cap : BigInt(maxTipPerGas);
  const least = { fee: addAnEighth(old.fee), tip: addAnEighth(old.tip) };
  const tipLimit = minOf(maxOf(TIP_MAX_TIMES * current.tip, BigInt(tipLimitFloor)), tipCap);
  if (least.fee > cap || least.tip > tipLimit) return undefined;
  const fee = minOf(maxOf(least.fee, current.fee), cap);
  return { ...current, fee, tip: minOf(maxOf(least.tip, current.tip), minOf(tipCap, fee)) };
}

/** Adds an eighth, rounded up. The result is always higher, even for 0. */
const addAnEighth = (wei: Wei) => (wei * 9n) / 8n + 1n;

const minOf = (a: bigint, b: bigint) => (a < b ? a : b);
const maxOf = (a: bigint, b: bigint) => (a > b ? a : b);

/**
 * Reads the account's nonce as of the newest final block; undefined while the chain has no final block. Throws RpcFault if
 * the node does not answer for the final block, or does not have its state.
 */
export async function readFinalNonce({
  rpc,
  network: { final },
  gatekeeper,
}: Pick<Ethereum, 'rpc' | 'network' | 'gatekeeper'>): Promise<FinalNonce | undefined> {
  const [newest] = await rpc(['tag' in final ? calls.block(final.tag) : calls.newestBlock]);
  if (needsAnother(newest, ETHEREUM_ERRORS)) resultOf(newest);
  const number = 'tag' in final ? calls.finalNumberOf(newest) : (calls.numberOf(newest) ?? -1) - final.depth;
  if (number === undefined || number < 0) return undefined;
  // Read by number: with a tag, the calls of a batch could be answered as of different blocks.
  const at = calls.hex(number);
  const [block, count] = await rpc([calls.block(at), calls.nonceAt(gatekeeper.address, at)]);
  return { nonce: calls.countOf(count), time: Number(calls.blockOf(block).timestamp), asOf: number };
}

/** Reads the time between the newest blocks, of which a stuck transaction has missed as many. The usual time if the node lacks them. */
export async function readBlockMs({
  rpc,
  network: { blockMs },
}: Pick<Ethereum, 'rpc' | 'network'>): Promise<Milliseconds> {
  const [latest] = await rpc([calls.newestBlock]);
  const newest = calls.newestOf(calls.blockOf(latest));
  const [before] = await rpc([calls.block(calls.hex(Math.max(0, newest.height - STUCK_BLOCKS)))]);
  const earlier = calls.findBlock(before);
  return earlier === undefined ? blockMs : measureBlockMs(calls.newestOf(earlier), newest, blockMs);
}
