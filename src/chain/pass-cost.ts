import type { Chain } from '../network/network.ts';
import type { PrepareResult } from './port.ts';
import { smallestUnitsOf } from './units.ts';

/** Maximum cost of an issuance in the chain's smallest unit. `more`: more than the balance. Undefined: unknown. */
export type PassCost = bigint | 'more' | undefined;

/**
 * Returns the cost that simulated issuances of a signer show.
 * @param countedBy The limit that counts it. Ceilings count the highest rent until a second endpoint shows the rent, and a balance pays the rent
 * that an endpoint shows.
 */
export function passCostOf(
  results: readonly PrepareResult[],
  chain: Chain,
  countedBy: 'balance' | 'ceilings' = 'balance',
): PassCost {
  const ready = results.find((result) => result.type === 'ready');
  if (ready !== undefined) {
    const { maxCost, rent } = ready;
    const unconfirmed = rent && countedBy === 'balance' ? rent.highest - rent.shown : 0;
    return smallestUnitsOf(maxCost - unconfirmed, chain);
  }
  return results.some((result) => result.type === 'not-now' && result.code === 'no-funds') ? 'more' : undefined;
}

/** Returns how many issuances a balance pays for; null if their cost is unknown. */
export function passesFor(balance: bigint, cost: PassCost): number | null {
  if (balance === 0n || cost === 'more') return 0;
  return cost === undefined || cost === 0n ? null : Number(balance / cost);
}
