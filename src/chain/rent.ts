import type { NanoCoins } from '../lib/brand.ts';

/** The rent of a new account on Solana. It falls in steps (SIMD-0437) and may rise again, so each endpoint is asked for it. */
export interface Rent {
  /** The rent as the endpoint shows it, within the bounds. */
  readonly shown: NanoCoins;
  /**
   * The highest rent that the clusters have had for an account of that size. It counts until a second endpoint shows the rent, because a
   * single one could otherwise hide spending, or use up a ceiling.
   */
  readonly highest: NanoCoins;
}

/**
 * Returns the rent that counts when two endpoints show one: the median of both and of the highest one. So no single endpoint lowers the
 * rent below that of the other one, and none raises it above the highest.
 */
export function commonRent(a: Rent, b: Rent): NanoCoins {
  const [, median = a.highest] = [a.shown, b.shown, a.highest].toSorted((x, y) => x - y);
  return median;
}
