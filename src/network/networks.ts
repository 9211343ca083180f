import type { Chain, Finality, Network } from './network.ts';

/** Data that several networks share: kinds of chains, fee caps and daily ceilings. */

/**
 * The contract that has no admin, at the same address on every network: anybody can deploy it (`npm run network -- deploy`), and
 * nobody can change it. `test/unit/ops/gateway-build.test.ts` derives the address from the public build.
 */
export const OWNERLESS_CONTRACT = '0xA0d8b83d512cc74690DE0a57D156eddfB42752B4';
const GATEWAY_PROGRAM = 'gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs';

/**
 * Solana transactions do not wait for each other, so `unmined` is the maximum of one status request. No pool keeps them: nodes
 * forward a transaction for about two seconds, hence `rebroadcastMs`.
 */
const SOLANA = {
  chain: 'solana',
  program: GATEWAY_PROGRAM,
  // 300 ms in November 2026. Only polling and retries follow from it, the same for slots of 150 to 400 ms.
  blockMs: 300,
  unmined: 256,
  rebroadcastMs: 2000,
  // An issuance uses 60,000 units, so these prices cost 600 and 60,000 lamports. Its rent was 1,649,520 lamports until September 2026,
  // and falls to 164,952.
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
 * Returns daily ceilings that an ordinary day does not reach: 20,000 issuances at the usual price of the network (on Solana at its
 * highest rent), or 500 at 20 gwei on Ethereum's mainnet. With Glamsterdam, they pay for a quarter of that; the doctor shows for how
 * many. One gatekeeper network may spend half of them.
 * @param coins Coins per day and signer.
 */
const ceilings = (coins: number) => ({ dailyCeiling: coins * 1e9, dailyLaneCeiling: (coins * 1e9) / 2 }) as const;

/** Coins of testnets have no price, but a faucet takes weeks to refill a gatekeeper. */
const TEST_CEILINGS = ceilings(100);
/** A mint uses 0.3 million gas, with Glamsterdam 1 million (docs/operators/cost.md), and another fork may multiply that. */
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

/** Nodes guarantee few pending transactions (geth: 16 per account). */
const ETHEREUM = {
  chain: 'ethereum',
  gateway: OWNERLESS_CONTRACT,
  testnet: false,
  fees: 'eip1559',
  ...feeCaps(500, 50),
  maxGas: MAX_GAS,
  tipLimitFloor: 2 * GWEI,
  unmined: 16,
  rebroadcastMs: 30_000,
} as const;
const TESTNET = { ...ETHEREUM, ...TEST_CEILINGS, testnet: true } as const;

/** The sequencer stopped on that day. */
const POLYGON_ZKEVM_END = { endsOn: '2026-07-01' } as const;
/** The later of two announced dates: until then, an issuance may still reach the chain. */
const FANTOM_END = { endsOn: '2026-12-31' } as const;

const named = (network: string, chainId: number, blockMs: number) => ({ network, chainId, blockMs });

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
  { ...named('mainnet', 1, 12_000), ...ETHEREUM, ...ceilings(5), ...confirmed(2) },
  { ...named('sepolia', 11_155_111, 12_000), ...TESTNET, ...confirmed(2) },
  { ...named('polygonAmoy', 80_002, 2000), ...TESTNET, ...SMALL_COIN, ...confirmed(4) },
  { ...named('polygonMainnet', 137, 2000), ...ETHEREUM, ...SMALL_COIN, ...ceilings(1_000), ...confirmed(4) },
  {
    ...named('polygonZKEVM', 1101, 3000),
    ...POLYGON_ZKEVM_END,
    ...ETHEREUM,
    ...feeCaps(20, 1),
    ...ceilings(0.5),
    ...confirmed(1, DEEP),
    fees: 'legacy',
  },
  {
    ...named('polygonZKEVMTestnet', 2442, 3000),
    ...TESTNET,
    ...POLYGON_ZKEVM_END,
    ...feeCaps(50, 5),
    ...confirmed(1, DEEP),
    fees: 'legacy',
  },
  { ...named('optimismSepolia', 11_155_420, 2000), ...TESTNET, ...TEST_ROLLUP, ...OP_STACK },
  { ...named('optimismMainnet', 10, 2000), ...ETHEREUM, ...ROLLUP, ...OP_STACK, ...ceilings(0.5) },
  { ...named('arbitrumSepolia', 421_614, 250), ...TESTNET, ...TEST_ROLLUP, maxGas: MAX_GAS_WITH_DATA },
  { ...named('arbitrumMainnet', 42_161, 250), ...ETHEREUM, ...ROLLUP, ...ceilings(0.5), maxGas: MAX_GAS_WITH_DATA },
  // Validators vote on the time between blocks (ACP-226), so the chain may differ.
  { ...named('avalancheCChain', 43_114, 1000), ...ETHEREUM, ...feeCaps(2_500, 100), ...ceilings(100), ...confirmed(1) },
  { ...named('avalancheCChainFuji', 43_113, 1000), ...TESTNET, ...confirmed(1) },
  // Block tags of these two not verified.
  {
    ...named('xdcMainnet', 50, 2000),
    ...ETHEREUM,
    ...SMALL_COIN,
    ...feeCaps(50, 50),
    ...ceilings(500),
    ...confirmed(3, DEEP),
  },
  { ...named('xdcApothem', 51, 2000), ...TESTNET, ...SMALL_COIN, ...confirmed(3, DEEP) },
  {
    ...named('fantomMainnet', 250, 1000),
    ...FANTOM_END,
    ...ETHEREUM,
    ...SMALL_COIN,
    ...ceilings(1_000),
    ...confirmed(1),
    fees: 'legacy',
  },
  {
    ...named('fantomTestnet', 4002, 1000),
    ...FANTOM_END,
    ...TESTNET,
    ...SMALL_COIN,
    ...confirmed(1),
    fees: 'legacy',
  },
  { ...named('baseSepolia', 84_532, 2000), ...TESTNET, ...TEST_ROLLUP, ...OP_STACK },
  { ...named('baseMainnet', 8453, 2000), ...ETHEREUM, ...ROLLUP, ...OP_STACK, ...ceilings(0.5) },
  // Since January 2026, and November 2025 on the testnet.
  { ...named('bscMainnet', 56, 450), ...ETHEREUM, ...feeCaps(60, 60), ...ceilings(5), ...confirmed(3), fees: 'legacy' },
  { ...named('bscTestnet', 97, 450), ...TESTNET, ...confirmed(3), fees: 'legacy' },
  // The finalized tag was once stuck at 0. The network uses the OP stack since October 2025, which viem does not reflect yet.
  {
    ...named('xlayerMainnet', 196, 1000),
    ...ETHEREUM,
    ...OP_STACK,
    ...feeCaps(25, 5),
    ...ceilings(2),
    ...confirmed(1, DEEP),
  },
  { ...named('xlayerTestnet', 1952, 1000), ...TESTNET, ...OP_STACK, ...confirmed(1, DEEP) },
  { ...named('unichainMainnet', 130, 1000), ...ETHEREUM, ...ROLLUP, ...OP_STACK, ...ceilings(0.5) },
  { ...named('unichainSepolia', 1301, 1000), ...TESTNET, ...TEST_ROLLUP, ...OP_STACK },
  { ...named('sonicMainnet', 146, 630), ...ETHEREUM, ...SMALL_COIN, ...ceilings(1_000), ...confirmed(1) },
  // Older ids: Blaze 57054 (viem sonicBlazeTestnet), 64165; viem has no definition of 14601.
  { ...named('sonicTestnet', 14_601, 630), ...TESTNET, ...SMALL_COIN, ...confirmed(1) },
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
