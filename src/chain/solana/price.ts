import type { SolanaNetwork } from '../../network/network.ts';
import type { Lamports, MicroLamports } from '../units.ts';

/** Base fee per signature, the same for every transaction. */
const BASE_FEE: Lamports = 5_000n;

/** Percentile of the lowest prices that recent blocks accepted: three in four blocks accepted less. */
const PERCENTILE = 0.75;

/** Returns the price per compute unit that most recent blocks accepted, within the network's bounds. Pure. */
export function priceOf(
  recent: readonly bigint[],
  { minUnitPrice, maxUnitPrice }: Pick<SolanaNetwork, 'minUnitPrice' | 'maxUnitPrice'>,
): MicroLamports {
  const sorted = recent.map(Number).toSorted((a, b) => a - b);
  const price = sorted[Math.ceil(sorted.length * PERCENTILE) - 1] ?? 0;
  return BigInt(Math.min(maxUnitPrice, Math.max(minUnitPrice, price)));
}

/** Returns the fee of a transaction with that many compute units, without rent. */
export function feeOf(unitPrice: MicroLamports, units: number): Lamports {
  return BASE_FEE + (unitPrice * BigInt(units) + 999_999n) / 1_000_000n;
}
