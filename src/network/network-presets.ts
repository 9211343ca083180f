import type { Finality } from './network.ts';

/** What several networks have in common: kinds of chains, fee caps and daily ceilings. */

const GATEWAY_TOKEN = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';
const GATEWAY_PROGRAM = 'gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs';

/**
 * Transactions do not queue up behind each other: as many as one question for their statuses takes. There is no pool for
 * them to wait in: nodes pass them on for about two seconds.
 */
export const SOLANA = {
  chain: 'solana',
  program: GATEWAY_PROGRAM,
  blockMs: 400,
  unmined: 256,
  rebroadcastMs: 2000,
  // Of an issuance's 60,000 units, 600 and 60,000 lamports; its rent is 1,649,520.
  minUnitPrice: 10_000,
  maxUnitPrice: 1_000_000,
  maxUnits: 240_000,
} as const;
const GWEI = 1_000_000_000;

/** The highest price that a network has ever needed for hours, times this: no ordinary rush has everything wait. */
const FEE_CAP_TIMES = 2;

/**
 * The fee caps of a network. The highest prices are those of its own rushes as far as block explorers recorded them (Ethereum:
 * the NFT mints of 2022; Polygon, Avalanche, Arbitrum: the inscriptions of 2023), rounded up.
 * @param highestGwei Highest price per gas for hours.
 * @param tipGwei Highest useful tip per gas.
 */
export const feeCaps = (highestGwei: number, tipGwei: number) =>
  ({ maxFeePerGas: FEE_CAP_TIMES * highestGwei * GWEI, maxTipPerGas: tipGwei * GWEI }) as const;

/**
 * Daily ceilings that an ordinary day does not reach: 20,000 issuances at the usual price of the network, on Ethereum's
 * mainnet 500 at 20 gwei. One gatekeeper network may spend half of it.
 * @param coins Coins per day and signer.
 */
export const ceilings = (coins: number) =>
  ({ dailyCeiling: coins * 1e9, dailyLaneCeiling: (coins * 1e9) / 2 }) as const;

/** Coins of testnets have no price, but a faucet takes weeks to refill a gatekeeper. */
export const TEST_CEILINGS = ceilings(100);
/** A mint takes 0.3 million gas today, and forks may multiply that. */
const MAX_GAS = 5_000_000;
/** On Arbitrum, the gas also pays the L1 data fee. */
export const MAX_GAS_WITH_DATA = 10_000_000;
/** Before blobs, the rushes of 2022 charged a transaction of this size a fifth of it. */
export const OP_STACK = { maxL1Fee: 5_000_000 * GWEI } as const;
/** Where a coin is worth cents, gas costs more of them. */
export const SMALL_COIN = { ...feeCaps(5_000, 1_000), tipLimitFloor: 50 * GWEI } as const;
/** Never the tag `safe`: on rollups it names blocks that a reorg of L1 can still take back. */
export const FINALIZED: Finality = { tag: 'finalized' };
/** For chains whose block tags are missing, stuck or unverified. */
export const DEEP: Finality = { depth: 60 };
/** Rollups: an ordinary tip there is a thousandth of a gwei. */
export const ROLLUP = { final: FINALIZED, confirmations: 1, tipLimitFloor: GWEI / 10, ...feeCaps(15, 1) } as const;
/** Rollups for tests: their prices follow whoever tests. */
export const TEST_ROLLUP = { ...ROLLUP, ...feeCaps(50, 5) } as const;

/** A network whose contract no record confirms. Nodes guarantee few unmined transactions (geth: 16 per account). */
export const UNRECORDED = {
  chain: 'ethereum',
  testnet: false,
  fees: 'eip1559',
  ...feeCaps(500, 50),
  maxGas: MAX_GAS,
  tipLimitFloor: 2 * GWEI,
  unmined: 16,
  rebroadcastMs: 30_000,
} as const;
export const UNRECORDED_TESTNET = { ...UNRECORDED, ...TEST_CEILINGS, testnet: true } as const;
export const ETHEREUM = { ...UNRECORDED, gateway: GATEWAY_TOKEN } as const;
export const TESTNET = { ...ETHEREUM, ...TEST_CEILINGS, testnet: true } as const;
