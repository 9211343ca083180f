import type { Chain, Network } from './network.ts';
import {
  ceilings,
  DEEP,
  ETHEREUM,
  FINALIZED,
  feeCaps,
  MAX_GAS_WITH_DATA,
  OP_STACK,
  ROLLUP,
  SMALL_COIN,
  SOLANA,
  TEST_CEILINGS,
  TEST_ROLLUP,
  TESTNET,
  UNRECORDED,
  UNRECORDED_TESTNET,
} from './network-presets.ts';

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
  {
    ...ETHEREUM,
    ...ceilings(5),
    network: 'mainnet',
    chainId: 1,
    blockMs: 12_000,
    confirmations: 2,
    final: FINALIZED,
  },
  { ...TESTNET, network: 'sepolia', chainId: 11_155_111, blockMs: 12_000, confirmations: 2, final: FINALIZED },
  {
    ...TESTNET,
    ...SMALL_COIN,
    network: 'polygonAmoy',
    chainId: 80_002,
    blockMs: 2000,
    confirmations: 4,
    final: FINALIZED,
  },
  {
    ...ETHEREUM,
    ...SMALL_COIN,
    ...ceilings(1_000),
    network: 'polygonMainnet',
    chainId: 137,
    blockMs: 2000,
    confirmations: 4,
    final: FINALIZED,
  },
  {
    ...ETHEREUM,
    ...feeCaps(20, 1),
    ...ceilings(0.5),
    network: 'polygonZKEVM',
    chainId: 1101,
    blockMs: 3000,
    confirmations: 1,
    final: DEEP,
    fees: 'legacy',
  },
  // The record of the contract is for the retired chain 1442.
  {
    ...UNRECORDED_TESTNET,
    ...feeCaps(50, 5),
    network: 'polygonZKEVMTestnet',
    chainId: 2442,
    blockMs: 3000,
    confirmations: 1,
    final: DEEP,
    fees: 'legacy',
  },
  { ...TESTNET, ...TEST_ROLLUP, ...OP_STACK, network: 'optimismSepolia', chainId: 11_155_420, blockMs: 2000 },
  { ...ETHEREUM, ...ROLLUP, ...OP_STACK, ...ceilings(0.5), network: 'optimismMainnet', chainId: 10, blockMs: 2000 },
  {
    ...TESTNET,
    ...TEST_ROLLUP,
    maxGas: MAX_GAS_WITH_DATA,
    network: 'arbitrumSepolia',
    chainId: 421_614,
    blockMs: 250,
  },
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
    network: 'avalancheCChain',
    chainId: 43_114,
    blockMs: 1700,
    confirmations: 1,
    final: FINALIZED,
  },
  { ...TESTNET, network: 'avalancheCChainFuji', chainId: 43_113, blockMs: 1700, confirmations: 1, final: FINALIZED },
  // Block tags not verified.
  {
    ...ETHEREUM,
    ...SMALL_COIN,
    ...feeCaps(50, 50),
    ...ceilings(500),
    network: 'xdcMainnet',
    chainId: 50,
    blockMs: 2000,
    confirmations: 3,
    final: DEEP,
  },
  // Block tags not verified.
  { ...TESTNET, ...SMALL_COIN, network: 'xdcApothem', chainId: 51, blockMs: 2000, confirmations: 3, final: DEEP },
  {
    ...ETHEREUM,
    ...SMALL_COIN,
    ...ceilings(1_000),
    network: 'fantomMainnet',
    chainId: 250,
    blockMs: 1000,
    confirmations: 1,
    final: FINALIZED,
    fees: 'legacy',
  },
  {
    ...TESTNET,
    ...SMALL_COIN,
    network: 'fantomTestnet',
    chainId: 4002,
    blockMs: 1000,
    confirmations: 1,
    final: FINALIZED,
    fees: 'legacy',
  },
  { ...TESTNET, ...TEST_ROLLUP, ...OP_STACK, network: 'baseSepolia', chainId: 84_532, blockMs: 2000 },
  { ...ETHEREUM, ...ROLLUP, ...OP_STACK, ...ceilings(0.5), network: 'baseMainnet', chainId: 8453, blockMs: 2000 },
  {
    ...ETHEREUM,
    ...feeCaps(60, 60),
    ...ceilings(5),
    network: 'bscMainnet',
    chainId: 56,
    blockMs: 750,
    confirmations: 3,
    final: FINALIZED,
    fees: 'legacy',
  },
  { ...TESTNET, network: 'bscTestnet', chainId: 97, blockMs: 750, confirmations: 3, final: FINALIZED, fees: 'legacy' },
  // The finalized tag was once stuck at 0. The network uses the OP stack since October 2025, which viem does not reflect yet.
  {
    ...ETHEREUM,
    ...OP_STACK,
    ...feeCaps(25, 5),
    ...ceilings(2),
    network: 'xlayerMainnet',
    chainId: 196,
    blockMs: 1000,
    confirmations: 1,
    final: DEEP,
  },
  // The record of the contract is for the retired chain 195.
  {
    ...UNRECORDED_TESTNET,
    ...OP_STACK,
    network: 'xlayerTestnet',
    chainId: 1952,
    blockMs: 1000,
    confirmations: 1,
    final: DEEP,
  },
  // No record of the contract found.
  { ...UNRECORDED, ...ROLLUP, ...OP_STACK, ...ceilings(0.5), network: 'unichainMainnet', chainId: 130, blockMs: 1000 },
  // No record of the contract found.
  { ...UNRECORDED_TESTNET, ...TEST_ROLLUP, ...OP_STACK, network: 'unichainSepolia', chainId: 1301, blockMs: 1000 },
  // No record of the contract found.
  {
    ...UNRECORDED,
    ...SMALL_COIN,
    ...ceilings(1_000),
    network: 'sonicMainnet',
    chainId: 146,
    blockMs: 630,
    confirmations: 1,
    final: FINALIZED,
  },
  // No record of the contract found; older ids: Blaze 57054 (viem sonicBlazeTestnet), 64165; viem has no definition of 14601.
  {
    ...UNRECORDED_TESTNET,
    ...SMALL_COIN,
    network: 'sonicTestnet',
    chainId: 14_601,
    blockMs: 630,
    confirmations: 1,
    final: FINALIZED,
  },
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
