import { type Brand, MINUTE_MS, type NanoCoins, SECOND_MS, type UnixSeconds } from '../lib/units.ts';

/** The data of a network, and the times that follow from it. */

interface Common {
  readonly network: string;
  readonly testnet: boolean;
  /** The day (UTC, `YYYY-MM-DD`) from which on the network counts as ended; undefined: no end is announced. `ops/facts/network-facts.ts` has the source. */
  readonly endsOn?: string | undefined;
  /**
   * Usual time between two blocks, in milliseconds. It paces polling and retries, within fixed bounds. The replacement of a
   * transaction costs money, so it follows the time that the chain shows (`measureBlockMs`).
   */
  readonly blockMs: number;
  /** Maximum number of one signer's transactions that no block includes yet. */
  readonly unmined: number;
  /** Interval at which a signer broadcasts a transaction again while no block includes it, in milliseconds. */
  readonly rebroadcastMs: number;
  /** Coins that a signer may spend per day (UTC), in nano-coins (gwei or lamports). Then all steps but revocations wait. */
  readonly dailyCeiling: NanoCoins;
  /** Coins that a signer may spend per day for one gatekeeper network, in nano-coins. */
  readonly dailyLaneCeiling: NanoCoins;
  /** Whether a watcher follows the network; undefined: yes. */
  readonly watch?: boolean | undefined;
  /** Time between two readings of the watcher, in milliseconds; undefined: two blocks, within the bounds below. */
  readonly watchMs?: number | undefined;
}

/** When a block is final: by the node's block tag, or by its depth below the head (0 is the head itself). */
export type Finality = { readonly tag: 'safe' | 'finalized' } | { readonly depth: number };

export interface EthereumNetwork extends Common {
  readonly chain: 'ethereum';
  readonly chainId: number;
  /** Number of blocks from the one that includes the transaction, counting that one. */
  readonly confirmations: number;
  readonly final: Finality;
  readonly fees: 'eip1559' | 'legacy';
  /** Fee cap: maximum price of a unit of gas, in wei. While the network charges more, all steps wait. */
  readonly maxFeePerGas: number;
  /** Maximum part of that price for the block's producer, in wei. Chains without EIP-1559 fees have no such part. */
  readonly maxTipPerGas: number;
  /**
   * OP stack only: maximum L1 data fee of a transaction, in wei. Steps wait while the fee is higher. Other networks charge it
   * as gas, or have no L1.
   */
  readonly maxL1Fee?: number;
  /** Maximum gas of one transaction. The signing policy refuses more, even if a node estimates more. */
  readonly maxGas: number;
  /**
   * Wei per gas. A replacement may tip up to 20 times the market's tip, or this amount if it is higher: on a network with tips
   * near zero, a multiple of the market's tip is too low to get a transaction into a block.
   */
  readonly tipLimitFloor: number;
  /** Address of the contract, a GatewayToken. */
  readonly gateway: `0x${string}`;
  /** The code hash of another build of the contract that the operator accepts. The public build needs none. */
  readonly codeHash?: `0x${string}` | undefined;
}

export interface SolanaNetwork extends Common {
  readonly chain: 'solana';
  /** Address of the gateway program. */
  readonly program: string;
  /** Hash of the cluster's first block, which identifies the cluster. */
  readonly genesisHash: string;
  /** Minimum and maximum price of a compute unit, in micro-lamports, in addition to the base fee. */
  readonly minUnitPrice: number;
  readonly maxUnitPrice: number;
  /** Maximum compute units of one transaction. The signing policy refuses more. */
  readonly maxUnits: number;
}

/** Beyond a ceiling, revocations may spend a reserve: the ceiling divided by this number. */
export const RESERVE_SHARE = 10;

/** Returns how many transactions a signer may have in no block beyond `unmined`, so that a freeze or a revocation waits for no block. */
export const urgentRoomOf = ({ unmined }: Pick<Network, 'unmined'>): number => Math.ceil(unmined / 4);

export type Network = EthereumNetwork | SolanaNetwork;
export type Chain = Network['chain'];

/** Time until the signer tracks its transactions again, in addition to the blocks themselves. */
const TRACKING_MS = 3000;

/**
 * The shortest slot of Solana that the constants hold for, in milliseconds. Slots took 300 ms in November 2026, after 400, and 250 and 200
 * are planned (solana-foundation/solana-com PR 2111, read on 2026-11-28). With still shorter ones, a blockhash expires
 * before the signer has sent its transaction ten times.
 */
export const SOLANA_SLOT_MIN_MS = 150;
/** Blocks until most Solana validators have voted for a block. */
const SOLANA_CONFIRMATIONS = 4;

/** After this many blocks without it, a transaction is stuck because of its price or of a transaction before it. */
export const STUCK_BLOCKS = 8;
const STUCK_MS = 30_000;

/**
 * Returns the milliseconds after which a signer replaces a transaction that no block includes by one with a higher fee. Never
 * on Solana: there a transaction expires with its blockhash, after 150 blocks, and the step is signed again.
 */
export function stuckAfterMs({ chain, blockMs }: Pick<Network, 'chain' | 'blockMs'>): number {
  return chain === 'ethereum' ? Math.max(STUCK_MS, STUCK_BLOCKS * blockMs) : Number.POSITIVE_INFINITY;
}

/** Returns the usual time from the broadcast of a transaction until the signer sees it confirmed, in milliseconds. */
export function expectedConfirmationMs(network: Network): number {
  return TRACKING_MS + network.blockMs * (network.chain === 'ethereum' ? network.confirmations : SOLANA_CONFIRMATIONS);
}

/** Two epochs of Ethereum's mainnet, and as long again until a rollup has posted its blocks there. */
const TAGGED_FINALITY_MS = 26 * MINUTE_MS;
/** Blocks until a Solana block is final. */
const SOLANA_FINAL_BLOCKS = 32;

/** Returns the usual time from the inclusion of a transaction until its block is final, in milliseconds. */
export function usualFinalityMs(network: Network): number {
  if (network.chain === 'solana') return SOLANA_FINAL_BLOCKS * network.blockMs;
  return 'depth' in network.final ? network.final.depth * network.blockMs : TAGGED_FINALITY_MS;
}

/** Time for the queue, the read model and one retry, in addition to twice the usual time to the confirmation. */
const ACTIVE_SLACK_MS = 30_000;

/** Returns the time from the acceptance of a request within which its pass should show the effect, in milliseconds. */
export function activeWithinMs(network: Network): number {
  return ACTIVE_SLACK_MS + 2 * expectedConfirmationMs(network);
}

/** The bounds of the time between two readings of a watcher. */
export const WATCH_MIN_MS = 5_000;
export const WATCH_MAX_MS = 30_000;

/** Returns the time between two readings of the network's watcher, in milliseconds. */
export function watchIntervalMs({ watchMs, blockMs }: Pick<Network, 'watchMs' | 'blockMs'>): number {
  return watchMs ?? Math.min(WATCH_MAX_MS, Math.max(WATCH_MIN_MS, 2 * blockMs));
}

/** Whether a network continues. The date decides, so an ending network has ended on its date without a release or a deployment. */
export type NetworkStatus =
  | { readonly type: 'live' }
  | { readonly type: 'ending' | 'ended'; readonly endsOn: string; readonly endsAt: UnixSeconds };

/** Returns the status of the network at `now` (Unix seconds). A date begins at 00:00 UTC. Pure. */
export function networkStatusOf({ endsOn }: Pick<Network, 'endsOn'>, now: UnixSeconds): NetworkStatus {
  if (endsOn === undefined) return { type: 'live' };
  const endsAt = Date.parse(endsOn) / SECOND_MS;
  return { type: now < endsAt ? 'ending' : 'ended', endsOn, endsAt };
}

/** The contract of a gatekeeper network by Ethereum-type network. A network is absent until its contract is chosen. */
export type Contracts = Readonly<Record<string, string>>;

/** Returns the contract of a gatekeeper network: the chosen one, or else the network's default. On Solana, it is the program. */
export function contractOf(contracts: Contracts, network: Network): string {
  if (network.chain === 'solana') return network.program;
  return contracts[network.network] ?? network.gateway;
}

/** Name of a signer object: chain, network and address of its gatekeeper key, separated by slashes. */
export type SignerName = Brand<string, 'SignerName'>;

export function formatSignerName(chain: Chain, network: string, address: string): SignerName {
  return [chain, network, address].join('/') as SignerName;
}

export function parseSignerName(name: SignerName): { chain: string; network: string; address: string } {
  const [chain = '', network = '', address = ''] = name.split('/');
  return { chain, network, address };
}
