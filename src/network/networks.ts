/** The 28 networks as data. What an operator may override stands in `config/network-overrides.ts`. */

interface Common {
  readonly network: string;
  readonly testnet: boolean;
  /** Usual time between two blocks, in milliseconds: paces polling and retries, decides nothing. */
  readonly blockMs: number;
  /** How many transactions of one signer may be unmined at a time. */
  readonly unmined: number;
  /** How often a transaction that no block holds is handed out again, in milliseconds. */
  readonly rebroadcastMs: number;
}

/** When a block is final: by the node's block tag, or by its depth below the head (0 is the head itself). */
export type Finality = { readonly tag: 'safe' | 'finalized' } | { readonly depth: number };

export interface EthereumNetwork extends Common {
  readonly chain: 'ethereum';
  readonly chainId: number;
  /** Blocks, the one that holds the transaction included. */
  readonly confirmations: number;
  readonly final: Finality;
  readonly fees: 'eip1559' | 'legacy';
  /** What a unit of gas may cost at the most, in wei: while the network asks more, everything waits. */
  readonly maxFeePerGas: number;
  /** Gas that one transaction may use. The signing policy refuses more, even if a node estimates more. */
  readonly maxGas: number;
  /**
   * A replacement may tip up to 20 times the market's tip, or this if it is more, in wei per gas: where the market tips next to
   * nothing, a multiple of it moves no transaction.
   */
  readonly tipLimitFloor: number;
  /** Address of GatewayToken; absent where no record confirms it: then an override must name it. */
  readonly gateway?: `0x${string}`;
}

export interface SolanaNetwork extends Common {
  readonly chain: 'solana';
  /** Address of the gateway program. */
  readonly program: string;
  /** What tells one cluster from another: the hash of its first block. */
  readonly genesisHash: string;
  /** What is paid for a compute unit beside the base fee, in micro-lamports: at least, and at the most. */
  readonly minUnitPrice: number;
  readonly maxUnitPrice: number;
  /** Compute units that one transaction may use. The signing policy refuses more. */
  readonly maxUnits: number;
}

export type Network = EthereumNetwork | SolanaNetwork;
export type Chain = Network['chain'];

const GATEWAY_TOKEN = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';
const GATEWAY_PROGRAM = 'gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs';

/**
 * Transactions do not queue up behind each other: as many as one question for their statuses takes. There is no pool for
 * them to wait in: nodes pass them on for about two seconds.
 */
const SOLANA = {
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
/** Above the rushes of the past years, so that nothing waits for an ordinary one. */
const MAX_FEE = 500 * GWEI;
/** A mint takes 0.3 million gas today, and several times that where the gas also pays for the data on the chain below. */
const MAX_GAS = 10_000_000;
/** Where a coin is worth cents, gas costs more of them. */
const SMALL_COIN = { maxFeePerGas: 5_000 * GWEI, tipLimitFloor: 50 * GWEI } as const;
/** Never the tag `safe`: on rollups it names blocks that a reorg of the chain below can still take back. */
const FINALIZED: Finality = { tag: 'finalized' };
/** For chains whose block tags are missing, stuck or unverified. */
const DEEP: Finality = { depth: 60 };
/** Rollups: an ordinary tip there is a thousandth of a gwei. */
const ROLLUP = { final: FINALIZED, confirmations: 1, tipLimitFloor: GWEI / 10 } as const;

/** A network whose contract no record confirms. Nodes guarantee few unmined transactions (geth: 16 per account). */
const UNRECORDED = {
  chain: 'ethereum',
  testnet: false,
  fees: 'eip1559',
  maxFeePerGas: MAX_FEE,
  maxGas: MAX_GAS,
  tipLimitFloor: 2 * GWEI,
  unmined: 16,
  rebroadcastMs: 30_000,
} as const;
const UNRECORDED_TESTNET = { ...UNRECORDED, testnet: true } as const;
const ETHEREUM = { ...UNRECORDED, gateway: GATEWAY_TOKEN } as const;
const TESTNET = { ...ETHEREUM, testnet: true } as const;

export const NETWORKS: readonly Network[] = [
  {
    ...SOLANA,
    network: 'mainnet-beta',
    testnet: false,
    genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  },
  { ...SOLANA, network: 'devnet', testnet: true, genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' },
  { ...ETHEREUM, network: 'mainnet', chainId: 1, blockMs: 12_000, confirmations: 2, final: FINALIZED },
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
    network: 'polygonMainnet',
    chainId: 137,
    blockMs: 2000,
    confirmations: 4,
    final: FINALIZED,
  },
  { ...ETHEREUM, network: 'polygonZKEVM', chainId: 1101, blockMs: 3000, confirmations: 1, final: DEEP, fees: 'legacy' },
  // The record of the contract is for the retired chain 1442.
  {
    ...UNRECORDED_TESTNET,
    network: 'polygonZKEVMTestnet',
    chainId: 2442,
    blockMs: 3000,
    confirmations: 1,
    final: DEEP,
    fees: 'legacy',
  },
  { ...TESTNET, ...ROLLUP, network: 'optimismSepolia', chainId: 11_155_420, blockMs: 2000 },
  { ...ETHEREUM, ...ROLLUP, network: 'optimismMainnet', chainId: 10, blockMs: 2000 },
  { ...TESTNET, ...ROLLUP, network: 'arbitrumSepolia', chainId: 421_614, blockMs: 250 },
  { ...ETHEREUM, ...ROLLUP, network: 'arbitrumMainnet', chainId: 42_161, blockMs: 250 },
  { ...ETHEREUM, network: 'avalancheCChain', chainId: 43_114, blockMs: 1700, confirmations: 1, final: FINALIZED },
  { ...TESTNET, network: 'avalancheCChainFuji', chainId: 43_113, blockMs: 1700, confirmations: 1, final: FINALIZED },
  // Block tags not verified.
  { ...ETHEREUM, ...SMALL_COIN, network: 'xdcMainnet', chainId: 50, blockMs: 2000, confirmations: 3, final: DEEP },
  // Block tags not verified.
  { ...TESTNET, ...SMALL_COIN, network: 'xdcApothem', chainId: 51, blockMs: 2000, confirmations: 3, final: DEEP },
  {
    ...ETHEREUM,
    ...SMALL_COIN,
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
  { ...TESTNET, ...ROLLUP, network: 'baseSepolia', chainId: 84_532, blockMs: 2000 },
  { ...ETHEREUM, ...ROLLUP, network: 'baseMainnet', chainId: 8453, blockMs: 2000 },
  { ...ETHEREUM, network: 'bscMainnet', chainId: 56, blockMs: 750, confirmations: 3, final: FINALIZED, fees: 'legacy' },
  { ...TESTNET, network: 'bscTestnet', chainId: 97, blockMs: 750, confirmations: 3, final: FINALIZED, fees: 'legacy' },
  // The finalized tag has been seen stuck at 0.
  { ...ETHEREUM, network: 'xlayerMainnet', chainId: 196, blockMs: 1000, confirmations: 1, final: DEEP },
  // The record of the contract is for the retired chain 195.
  { ...UNRECORDED_TESTNET, network: 'xlayerTestnet', chainId: 1952, blockMs: 1000, confirmations: 1, final: DEEP },
  // No record of the contract found.
  { ...UNRECORDED, ...ROLLUP, network: 'unichainMainnet', chainId: 130, blockMs: 1000 },
  // No record of the contract found.
  { ...UNRECORDED_TESTNET, ...ROLLUP, network: 'unichainSepolia', chainId: 1301, blockMs: 1000 },
  // No record of the contract found.
  {
    ...UNRECORDED,
    ...SMALL_COIN,
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

/** The network of that chain and name; undefined for an unknown name and for a pair that does not belong together. */
export function findNetwork(rows: readonly Network[], chain: string, network: string): Network | undefined {
  return rows.find((row) => row.chain === chain && row.network === network);
}

/** Names of the networks a chain has, in the order of the table. */
export function networkNamesOf(chain: Chain): string[] {
  return NETWORKS.filter((row) => row.chain === chain).map((row) => row.network);
}

/** Beside the blocks themselves, a transaction waits for the next look at the chain. Milliseconds. */
const TRACKING_MS = 3000;

/** Blocks until most validators of Solana have voted for one. */
const SOLANA_CONFIRMATIONS = 4;

/** Blocks that had room for a transaction and did not take it: its price, or something before it, keeps it out. */
const STUCK_BLOCKS = 8;
const STUCK_MS = 30_000;

/**
 * After how long in no block a transaction is replaced by one that pays more, in milliseconds. Never on Solana: there a
 * transaction lives for a minute only, and then is signed anew.
 */
export function stuckAfterMs({ chain, blockMs }: Network): number {
  return chain === 'ethereum' ? Math.max(STUCK_MS, STUCK_BLOCKS * blockMs) : Number.POSITIVE_INFINITY;
}

/** How long a transaction usually takes from being sent to being known as confirmed, in milliseconds. */
export function expectedConfirmationMs(network: Network): number {
  return TRACKING_MS + network.blockMs * (network.chain === 'ethereum' ? network.confirmations : SOLANA_CONFIRMATIONS);
}
