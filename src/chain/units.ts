import type { NanoCoins, Unit } from '../lib/units.ts';
import type { Chain } from '../network/network.ts';

/** Amounts of money on chain: the smallest unit of each chain, and the units of its prices. */

/** 10^-18 of an Ethereum-type network's coin. Gas prices are wei per gas. */
export type Wei = Unit<bigint, 'Wei'>;

/** 10^-9 SOL. */
export type Lamports = Unit<bigint, 'Lamports'>;

/** 10^-6 lamports: the unit of prices per compute unit. */
export type MicroLamports = Unit<bigint, 'MicroLamports'>;

const WEI_PER_NANO_COIN = 1_000_000_000n;

export function nanoCoinsOfWei(wei: Wei): NanoCoins {
  return Number((wei + WEI_PER_NANO_COIN - 1n) / WEI_PER_NANO_COIN);
}

export function smallestUnitsOf(amount: NanoCoins, chain: Chain): Wei | Lamports {
  return chain === 'ethereum' ? BigInt(amount) * WEI_PER_NANO_COIN : BigInt(amount);
}
