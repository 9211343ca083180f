import type { Chain, Finality, Network } from './network.ts';

/** Data that several networks share: kinds of chains, fee caps and daily ceilings. */

const GATEWAY_TOKEN = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';
const GATEWAY_PROGRAM = 'gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs';

/**
 * Solana transactions do not wait for each other, so `unmined` is the maximum of one status request. No pool keeps them: nodes
 * forward a transaction for about two seconds, hence `rebroadcastMs`.
 */
const SOLANA = {
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
const feeCaps = (highestGwei: number, tipGwei: number) =>
  ({ maxFeePerGas: FEE_CAP_TIMES * highestGwei * GWEI, maxTipPerGas: tipGwei * GWEI }) as const;

/**
 * Returns daily ceilings that an ordinary day does not reach: 20,000 issuances at the usual price of the network, or 500 at
 * 20 gwei on Ethereum's mainnet. One gatekeeper network may spend half of them.
 * @param coins Coins per day and signer.
 */
const ceilings = (coins: number) => ({ dailyCeiling: coins * 1e9, dailyLaneCeiling: (coins * 1e9) / 2 }) as const;

/** Coins of testnets have no price, but a faucet takes weeks to refill a gatekeeper. */
const TEST_CEILINGS = ceilings(100);
/** A mint uses 0.3 million gas today, and a fork may multiply that. */
const MAX_GAS = 5_000_000;
/** On Arbitrum, the gas also pays the L1 data fee. */
const MAX_GAS_WITH_DATA = 10_000_000;
/** Before blobs, a transaction of this size paid a fifth of this L1 data fee in the peaks of 2022. */
const OP_STACK = { maxL1Fee: 5_000_000 * GWEI } as const;
/** For networks whose coin is worth cents, so that gas costs more coins. */
const SMALL_COIN = { ...feeCaps(5_000, 1_000), tipLimitFloor: 50 * GWEI } as const;
/** Not the tag `safe`: on rollups it names blocks that a reorg of L1 can still remove. */
const FINALIZED: Finality = { tag: 'finalized' };
/** For chains whose block tags are missing, stuck or unverified. */
const DEEP: Finality = { depth: 60 };
const confirmed = (confirmations: number, final: Finality = FINALIZED) => ({ confirmations, final }) as const;
/** Rollups. A usual tip there is a thousandth of a gwei. */
const ROLLUP = { ...confirmed(1), tipLimitFloor: GWEI / 10, ...feeCaps(15, 1) } as const;
/** Testnets of rollups. Test traffic makes their prices vary more. */
const TEST_ROLLUP = { ...ROLLUP, ...feeCaps(50, 5) } as const;

/** A network without a record of its contract's address. Nodes guarantee few pending transactions (geth: 16 per account). */
const UNRECORDED = {
  chain: 'ethereum',
  testnet: false,
  fees: 'eip1559',
  ...feeCaps(500, 50),
  maxGas: MAX_GAS,
  tipLimitFloor: 2 * GWEI,
  unmined: 16,
  rebroadcastMs: 30_000,
} as const;
const UNRECORDED_TESTNET = { ...UNRECORDED, ...TEST_CEILINGS, testnet: true } as const;
const ETHEREUM = { ...UNRECORDED, gateway: GATEWAY_TOKEN } as const;
const TESTNET = { ...ETHEREUM, ...TEST_CEILINGS, testnet: true } as const;

/** The 28 networks as data. `config/network-settings.ts` defines the settings that an operator may override. */

export const NETWORKS: readonly Network[] = [
  {
    ...SOLANA,
    ...ceilings(40),
    network: 'mainnet-beta',
    testnet: false,
    genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  },
  {
    ...SOLANA,
    ...TEST_CEILINGS,
    network: 'devnet',
    testnet: true,
    genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
  },
  { ...ETHEREUM, ...ceilings(5), ...confirmed(2), network: 'mainnet', chainId: 1, blockMs: 12_000 },
  { ...TESTNET, ...confirmed(2), network: 'sepolia', chainId: 11_155_111, blockMs: 12_000 },
  { ...TESTNET, ...SMALL_COIN, ...confirmed(4), network: 'polygonAmoy', chainId: 80_002, blockMs: 2000 },
  {
    ...ETHEREUM,
    ...SMALL_COIN,
    ...ceilings(1_000),
    ...confirmed(4),
    network: 'polygonMainnet',
    chainId: 137,
    blockMs: 2000,
  },
  {
    ...ETHEREUM,
    ...feeCaps(20, 1),
    ...ceilings(0.5),
    ...confirmed(1, DEEP),
    network: 'polygonZKEVM',
    chainId: 1101,
    blockMs: 3000,
    fees: 'legacy',
  },
  // The record of the contract is for the retired chain 1442.
  {
    ...UNRECORDED_TESTNET,
    ...feeCaps(50, 5),
    ...confirmed(1, DEEP),
    network: 'polygonZKEVMTestnet',
    chainId: 2442,
    blockMs: 3000,
    fees: 'legacy',
  },
  { ...TESTNET, ...TEST_ROLLUP, ...OP_STACK, network: 'optimismSepolia', chainId: 11_155_420, blockMs: 2000 },
  { ...ETHEREUM, ...ROLLUP, ...OP_STACK, ...ceilings(0.5), network: 'optimismMainnet', chainId: 10, blockMs: 2000 },
  { ...TESTNET, ...TEST_ROLLUP, maxGas: MAX_GAS_WITH_DATA, network: 'arbitrumSepolia', chainId: 421_614, blockMs: 250 },
  {
    ...ETHEREUM,
    ...ROLLUP,
    ...ceilings(0.5),
    maxGas: MAX_GAS_WITH_DATA,
    network: 'arbitrumMainnet',
    chainId: 42_161,
    blockMs: 250,
  },
  {
    ...ETHEREUM,
    ...feeCaps(2_500, 100),
    ...ceilings(100),
    ...confirmed(1),
    network: 'avalancheCChain',
    chainId: 43_114,
    blockMs: 1700,
  },
  { ...TESTNET, ...confirmed(1), network: 'avalancheCChainFuji', chainId: 43_113, blockMs: 1700 },
  // Block tags not verified.
  {
    ...ETHEREUM,
    ...SMALL_COIN,
    ...feeCaps(50, 50),
    ...ceilings(500),
    ...confirmed(3, DEEP),
    network: 'xdcMainnet',
    chainId: 50,
    blockMs: 2000,
  },
  // Block tags not verified.
  { ...TESTNET, ...SMALL_COIN, ...confirmed(3, DEEP), network: 'xdcApothem', chainId: 51, blockMs: 2000 },
  {
    ...ETHEREUM,
    ...SMALL_COIN,
    ...ceilings(1_000),
    ...confirmed(1),
    network: 'fantomMainnet',
    chainId: 250,
    blockMs: 1000,
    fees: 'legacy',
  },
  {
    ...TESTNET,
    ...SMALL_COIN,
    ...confirmed(1),
    network: 'fantomTestnet',
    chainId: 4002,
    blockMs: 1000,
    fees: 'legacy',
  },
  { ...TESTNET, ...TEST_ROLLUP, ...OP_STACK, network: 'baseSepolia', chainId: 84_532, blockMs: 2000 },
  { ...ETHEREUM, ...ROLLUP, ...OP_STACK, ...ceilings(0.5), network: 'baseMainnet', chainId: 8453, blockMs: 2000 },
  {
    ...ETHEREUM,
    ...feeCaps(60, 60),
    ...ceilings(5),
    ...confirmed(3),
    network: 'bscMainnet',
    chainId: 56,
    blockMs: 750,
    fees: 'legacy',
  },
  { ...TESTNET, ...confirmed(3), network: 'bscTestnet', chainId: 97, blockMs: 750, fees: 'legacy' },
  // The finalized tag was once stuck at 0. The network uses the OP stack since October 2025, which viem does not reflect yet.
  {
    ...ETHEREUM,
    ...OP_STACK,
    ...feeCaps(25, 5),
    ...ceilings(2),
    ...confirmed(1, DEEP),
    network: 'xlayerMainnet',
    chainId: 196,
    blockMs: 1000,
  },
  // The record of the contract is for the retired chain 195.
  { ...UNRECORDED_TESTNET, ...OP_STACK, ...confirmed(1, DEEP), network: 'xlayerTestnet', chainId: 1952, blockMs: 1000 },
  // No record of the contract found.
  { ...UNRECORDED, ...ROLLUP, ...OP_STACK, ...ceilings(0.5), network: 'unichainMainnet', chainId: 130, blockMs: 1000 },
  // No record of the contract found.
  { ...UNRECORDED_TESTNET, ...TEST_ROLLUP, ...OP_STACK, network: 'unichainSepolia', chainId: 1301, blockMs: 1000 },
  // No record of the contract found.
  {
    ...UNRECORDED,
    ...SMALL_COIN,
    ...ceilings(1_000),
    ...confirmed(1),
    network: 'sonicMainnet',
    chainId: 146,
    blockMs: 630,
  },
  // No record of the contract found; older ids: Blaze 57054 (viem sonicBlazeTestnet), 64165; viem has no definition of 14601.
  { ...UNRECORDED_TESTNET, ...SMALL_COIN, ...confirmed(1), network: 'sonicTestnet', chainId: 14_601, blockMs: 630 },
];

export const CHAINS: readonly Chain[] = ['solana', 'ethereum'];

/** Returns the network of that chain and name; undefined if the name is unknown or belongs to another chain. */
export function findNetwork(rows: readonly Network[], chain: string, network: string): Network | undefined {
  return rows.find((row) => row.chain === chain && row.network === network);
}

/** Returns the names of a chain's networks, in the order of the table. */
export function networkNamesOf(chain: Chain): string[] {
  return NETWORKS.filter((row) => row.chain === chain).map((row) => row.network);
}
