import type { NanoCoins } from '../lib/brand.ts';

/** What the service knows of a network, and how long things take there. */

interface Common {
  readonly network: string;
  readonly testnet: boolean;
  /** Usual time between two blocks, in milliseconds: paces polling and retries, decides nothing. */
  readonly blockMs: number;
  /** How many transactions of one signer may be unmined at a time. */
  readonly unmined: number;
  /** How often a transaction that no block holds is handed out again, in milliseconds. */
  readonly rebroadcastMs: number;
  /** What a signer may spend in a day (UTC), in nano-coins (gwei or lamports). Then all steps but revocations wait. */
  readonly dailyCeiling: NanoCoins;
  /** The same for one gatekeeper network of a signer. */
  readonly dailyLaneCeiling: NanoCoins;
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
  /** What of it may go to the block's producer, in wei. Chains without EIP-1559 fees have no such part. */
  readonly maxTipPerGas: number;
  /**
   * OP stack only: the highest L1 data fee of a transaction, in wei. Steps wait while the fee is higher. Other networks charge
   * it as gas, or have no L1.
   */
  readonly maxL1Fee?: number;
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

/** Revocations may spend a ceiling divided by this beyond it. */
export const RESERVE_SHARE = 10;

export type Network = EthereumNetwork | SolanaNetwork;
export type Chain = Network['chain'];

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
