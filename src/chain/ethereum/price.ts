import type { EthereumNetwork } from '../../network/networks.ts';

/**
 * What a unit of gas is paid at the most, in wei: in all, and of it to whoever makes the block. Without EIP-1559 fees
 * both are the gas price.
 */
export interface Price {
  readonly fee: bigint;
  readonly tip: bigint;
}

/** Added to the gas price of chains without EIP-1559 fees, in percent: it may rise until the next blocks. */
const LEGACY_MARGIN = 20n;

/** What the nodes said of prices, in wei. */
export interface QuotedPrices {
  readonly gasPrice: bigint;
  /** Undefined on chains without EIP-1559 fees. */
  readonly baseFee?: bigint | undefined;
  /** Not every node knows `eth_maxPriorityFeePerGas`. */
  readonly tip?: bigint | undefined;
}

/**
 * The price of the moment, never above the network's `maxFeePerGas`; `isTooDear` when the network asks more than that, and
 * no block would take it. Pure.
 */
export function priceOf(
  asked: QuotedPrices,
  { fees, maxFeePerGas }: EthereumNetwork,
): { price: Price; isTooDear: boolean } {
  const cap = BigInt(maxFeePerGas);
  if (fees === 'legacy') {
    const gasPrice = minOf((asked.gasPrice * (100n + LEGACY_MARGIN)) / 100n, cap);
    return { price: { fee: gasPrice, tip: gasPrice }, isTooDear: asked.gasPrice > cap };
  }
  const { gasPrice, baseFee = 0n } = asked;
  // The gas price holds a tip as well.
  const tip = maxOf(asked.tip ?? gasPrice - baseFee, 0n);
  // Twice the base fee outlasts six full blocks in a row (EIP-1559: at most an eighth more each).
  const fee = minOf(baseFee * 2n + tip, cap);
  return { price: { fee, tip: minOf(tip, fee) }, isTooDear: baseFee + tip > cap };
}

/**
 * What replaces a transaction of that price: an eighth more of both (nodes ask for 10 or 12.5 %), or the price of the
 * moment where that is higher. Undefined when an eighth more is above the network's `maxFeePerGas`. Pure.
 */
export function replacementPrice(old: Price, moment: Price, { maxFeePerGas }: EthereumNetwork): Price | undefined {
  const cap = BigInt(maxFeePerGas);
  const least = { fee: addAnEighth(old.fee), tip: addAnEighth(old.tip) };
  if (least.fee > cap) return undefined;
  return { fee: minOf(maxOf(least.fee, moment.fee), cap), tip: minOf(maxOf(least.tip, moment.tip), cap) };
}

/** Rounded up, and more than before also where that was nothing. */
const addAnEighth = (wei: bigint) => (wei * 9n) / 8n + 1n;

const minOf = (a: bigint, b: bigint) => (a < b ? a : b);
const maxOf = (a: bigint, b: bigint) => (a > b ? a : b);
