import type { EthereumNetwork } from '../../network/network.ts';
import type { Wei } from '../units.ts';

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
