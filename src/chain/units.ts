import type { Unit } from '../lib/brand.ts';

/** Amounts of money on chain: each chain's smallest unit, and the price of one unit of work in it. */

/** 10^-18 of an Ethereum-type network's coin. Gas prices are wei per gas. */
export type Wei = Unit<bigint, 'Wei'>;

/** 10^-9 SOL. */
export type Lamports = Unit<bigint, 'Lamports'>;

/** 10^-6 lamports: the unit of prices per compute unit. */
export type MicroLamports = Unit<bigint, 'MicroLamports'>;
