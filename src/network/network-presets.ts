import type { Finality } from './network.ts';

/** Data that several networks share: kinds of chains, fee caps and daily ceilings. */

const GATEWAY_TOKEN = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';
const GATEWAY_PROGRAM = 'gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs';

/**
 * Solana transactions do not wait for each other, so `unmined` is the maximum of one status request. No pool keeps them: nodes
 * forward a transaction for about two seconds, hence `rebroadcastMs`.
 */
export const SOLANA = {
  chain: 'solana',
  program: GATEWAY_PROGRAM,
  blockMs: 400,
  unmined: 256,
  rebroadcastMs: 2000,
  // An issuance uses 60,000 units, so these prices cost 600 and 60,000 lamports. Its rent is 1,649,520 lamports.
  minUnitPrice: 10_000,
  maxUnitPrice: 1_000_000,
  maxUnits: 240_000,
} as const;
const GWEI = 1_000_000_000;

/** Fee caps are this multiple of the highest price that a network ever needed for hours, so that a usual peak stops no step. */
const FEE_CAP_TIMES = 2;

/**
 * Returns the fee caps of a network. The highest prices come from the network's own peaks in block explorers, rounded up
 * (Ethereum: the NFT mints of 2022; Polygon, Avalanche, Arbitrum: the inscriptions of 2023).
 * @param highestGwei Highest price per gas for hours.
 * @param tipGwei Highest useful tip per gas.
 */
export const feeCaps = (highestGwei: number, tipGwei: number) =>
  ({ maxFeePerGas: FEE_CAP_TIMES * highestGwei * GWEI, maxTipPerGas: tipGwei * GWEI }) as const;

/**
 * Returns daily ceilings that an ordinary day does not reach: 20,000 issuances at the usual price of the network, or 500 at
 * 20 gwei on Ethereum's mainnet. One gatekeeper network may spend half of them.
 * @param coins Coins per day and signer.
 */
export const ceilings = (coins: number) =>
  ({ dailyCeiling: coins * 1e9, dailyLaneCeiling: (coins * 1e9) / 2 }) as const;

/** Coins of testnets have no price, but a faucet takes weeks to refill a gatekeeper. */
export const TEST_CEILINGS = ceilings(100);
/** A mint uses 0.3 million gas today, and a fork may multiply that. */
const MAX_GAS = 5_000_000;
/** On Arbitrum, the gas also pays the L1 data fee. */
export const MAX_GAS_WITH_DATA = 10_000_000;
/** Before blobs, a transaction of this size paid a fifth of this L1 data fee in the peaks of 2022. */
export const OP_STACK = { maxL1Fee: 5_000_000 * GWEI } as const;
/** For networks whose coin is worth cents, so that gas costs more coins. */
export const SMALL_COIN = { ...feeCaps(5_000, 1_000), tipLimitFloor: 50 * GWEI } as const;
/** Not the tag `safe`: on rollups it names blocks that a reorg of L1 can still remove. */
export const FINALIZED: Finality = { tag: 'finalized' };
/** For chains whose block tags are missing, stuck or unverified. */
export const DEEP: Finality = { depth: 60 };
/** Rollups. A usual tip there is a thousandth of a gwei. */
export const ROLLUP = { final: FINALIZED, confirmations: 1, tipLimitFloor: GWEI / 10, ...feeCaps(15, 1) } as const;
/** Testnets of rollups. Test traffic makes their prices vary more. */
export const TEST_ROLLUP = { ...ROLLUP, ...feeCaps(50, 5) } as const;

/** A network without a record of its contract's address. Nodes guarantee few pending transactions (geth: 16 per account). */
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
