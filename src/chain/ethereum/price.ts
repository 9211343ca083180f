import type { EthereumNetwork } from '../../network/networks.ts';
import type { Wei } from '../units.ts';

/** The highest price per unit of gas. Without EIP-1559 fees both numbers are the gas price. */
export interface Price {
  /** In all. */
  readonly fee: Wei;
  /** The part of `fee` that goes to the block's producer. */
  readonly tip: Wei;
}

/** Added to the gas price of chains without EIP-1559 fees: it may rise until the next blocks. */
const LEGACY_MARGIN_PERCENT = 20n;

/** Prices per unit of gas, as a node quotes them. */
export interface QuotedPrices {
  readonly gasPrice: Wei;
  /** Undefined on chains without EIP-1559 fees. */
  readonly baseFee?: Wei | undefined;
  /** Not every node knows `eth_maxPriorityFeePerGas`. */
  readonly tip?: Wei | undefined;
}

/**
 * The price of the moment, never above the network's `maxFeePerGas`; `isTooDear` when the network asks more than that, and
 * no block would take it. Pure.
 */
export function priceOf(
  quoted: QuotedPrices,
  { fees, maxFeePerGas }: EthereumNetwork,
): { price: Price; isTooDear: boolean } {
  const cap = BigInt(maxFeePerGas);
  if (fees === 'legacy') {
    const gasPrice = minOf((quoted.gasPrice * (100n + LEGACY_MARGIN_PERCENT)) / 100n, cap);
    return { price: { fee: gasPrice, tip: gasPrice }, isTooDear: quoted.gasPrice > cap };
  }
  const { gasPrice, baseFee = 0n } = quoted;
  // The gas price holds a tip as well.
  const tip = maxOf(quoted.tip ?? gasPrice - baseFee, 0n);
  // Twice the base fee outlasts six full blocks in a row (EIP-1559: at most an eighth more each).
  const fee = minOf(baseFee * 2n + tip, cap);
  return { price: { fee, tip: minOf(tip, fee) }, isTooDear: baseFee + tip > cap };
}

/** A replacement tips at most this multiple of the market's tip: no price helps if a provider does not propagate it. */
const TIP_MAX_TIMES = 20n;

/**
 * The price of a replacement: an eighth more of both (nodes ask for 10 or 12.5 %), or the current price if that is
 * higher. Undefined if an eighth more is above the network's `maxFeePerGas`, or if its tip is above both `TIP_MAX_TIMES`
 * the market's tip and the network's `tipLimitFloor`. On chains without EIP-1559 fees, the tip is the gas price. Pure.
 */
export function replacementPrice(
  old: Price,
  current: Price,
  { maxFeePerGas, tipLimitFloor }: EthereumNetwork,
): Price | undefined {
  const cap = BigInt(maxFeePerGas);
  const least = { fee: addAnEighth(old.fee), tip: addAnEighth(old.tip) };
  if (least.fee > cap || least.tip > maxOf(TIP_MAX_TIMES * current.tip, BigInt(tipLimitFloor))) return undefined;
  return { fee: minOf(maxOf(least.fee, current.fee), cap), tip: minOf(maxOf(least.tip, current.tip), cap) };
}

/** Rounded up, and more than before also where that was nothing. */
const addAnEighth = (wei: Wei) => (wei * 9n) / 8n + 1n;

const minOf = (a: bigint, b: bigint) => (a < b ? a : b);
const maxOf = (a: bigint, b: bigint) => (a > b ? a : b);
