import type { Blockhash } from '@solana/kit';
import type { UnixSeconds } from '../../lib/brand.ts';
import type { SolanaNetwork } from '../../network/network.ts';
import { type Account, RpcFault } from '../port.ts';
import type { Lamports, MicroLamports } from '../units.ts';
import { TOKEN_SIZE } from './abi.ts';
import type { Solana } from './context.ts';
import { CLOCK_SYSVAR, readAccounts, type SolanaRpc, timeOf } from './rpc.ts';

/** The lifetime of a transaction: above that block height, no block can include it. */
export interface Lifetime {
  readonly blockhash: Blockhash;
  readonly lastValidBlockHeight: bigint;
}

/** The state of the network at one moment, apart from tokens. */
export interface NetworkConditions {
  /** Price per compute unit. */
  readonly unitPrice: MicroLamports;
  readonly lifetime: Lifetime;
  /** The slot of `lifetime`'s blockhash. */
  readonly slot: number;
  /** The amount that the gatekeeper can spend. */
  readonly funds: Lamports;
  /** Rent of a new token's account. */
  readonly tokenRent: Lamports;
  /** Time of the chain's own clock. */
  readonly time: UnixSeconds;
}

/** Reads the chain's own clock. */
export async function readTime(rpc: SolanaRpc): Promise<UnixSeconds> {
  const { accounts } = await readAccounts(rpc, [CLOCK_SYSVAR], 'confirmed');
  return timeOf(accounts.get(CLOCK_SYSVAR));
}

/** Number of blocks for which a blockhash is valid (Agave's `MAX_PROCESSING_AGE`). */
const LIFETIME_BLOCKS = 150n;
/** The rest is a margin, because nodes behind one URL may be at different blocks. */
export const LIFETIME_MAX_BLOCKS = 2n * LIFETIME_BLOCKS;

/** The clusters' actual rent of a token's account. With a lower one, an endpoint could hide spending. */
const TOKEN_MIN_RENT: Lamports = (128n + TOKEN_SIZE) * 6_960n;
/** An endpoint that reports a higher rent is wrong. */
const TOKEN_MAX_RENT = 4n * TOKEN_MIN_RENT;

/** Reads everything that `prepare` needs apart from tokens. */
export async function readConditions({
  rpc,
  network,
  gatekeeper,
}: Pick<Solana, 'rpc' | 'network' | 'gatekeeper'>): Promise<NetworkConditions> {
  const [{ context, value: lifetime }, height, prices, { accounts }, rent, ownRent] = await Promise.all([
    rpc.getLatestBlockhash({ commitment: 'confirmed' }).send(),
    rpc.getBlockHeight({ commitment: 'confirmed' }).send(),
    rpc.getRecentPrioritizationFees().send(),
    readAccounts(rpc, [gatekeeper, CLOCK_SYSVAR], 'confirmed'),
    rpc.getMinimumBalanceForRentExemption(TOKEN_SIZE).send(),
    rpc.getMinimumBalanceForRentExemption(0n).send(),
  ]);
  // A transaction with a height far in the future would never count as expired. The slot is no bound: many slots have no block.
  if (!(lifetime.lastValidBlockHeight <= height + LIFETIME_MAX_BLOCKS)) {
    throw new RpcFault('a read failed: the last valid block height is too high');
  }
  if (!(rent > 0n && rent <= TOKEN_MAX_RENT && ownRent > 0n))
    throw new RpcFault('a read failed: the rent is out of range');
  return {
    unitPrice: priceOf(
      prices.map(({ prioritizationFee }) => prioritizationFee),
      network,
    ),
    lifetime,
    slot: Number(context.slot),
    funds: (accounts.get(gatekeeper)?.lamports ?? 0n) - ownRent,
    tokenRent: rent > TOKEN_MIN_RENT ? rent : TOKEN_MIN_RENT,
    time: timeOf(accounts.get(CLOCK_SYSVAR)),
  };
}

/**
 * Returns a height above which no block can include a transaction with this blockhash. Undefined: the endpoint does not know the
 * blockhash, or it has expired.
 */
export async function readLastHeight({ rpc }: Pick<Solana, 'rpc'>, blockhash: string): Promise<number | undefined> {
  // A blockhash that another endpoint has confirmed may be newer than the last block that this one has confirmed.
  const newest = { commitment: 'processed' } as const;
  const [{ value: isValid }, height] = await Promise.all([
    rpc.isBlockhashValid(blockhash as Blockhash, newest).send(),
    rpc.getBlockHeight(newest).send(),
  ]);
  return isValid === true ? Number(height + LIFETIME_BLOCKS) : undefined;
}

export async function readAccount({ rpc, gatekeeper }: Pick<Solana, 'rpc' | 'gatekeeper'>): Promise<Account> {
  const { value: balance } = await rpc.getBalance(gatekeeper, { commitment: 'confirmed' }).send();
  return { balance };
}

/** Base fee per signature, the same for every transaction. */
const BASE_FEE: Lamports = 5_000n;

/** Percentile of the lowest prices that recent blocks accepted: three in four blocks accepted less. */
const PERCENTILE = 0.75;

/** Returns the price per compute unit that most recent blocks accepted, within the network's bounds. Pure. */
export function priceOf(
  recent: readonly bigint[],
  { minUnitPrice, maxUnitPrice }: Pick<SolanaNetwork, 'minUnitPrice' | 'maxUnitPrice'>,
): MicroLamports {
  const sorted = recent.map(Number).toSorted((a, b) => a - b);
  const price = sorted[Math.ceil(sorted.length * PERCENTILE) - 1] ?? 0;
  return BigInt(Math.min(maxUnitPrice, Math.max(minUnitPrice, price)));
}

/** Returns the fee of a transaction with that many compute units, without rent. */
export function feeOf(unitPrice: MicroLamports, units: number): Lamports {
  return BASE_FEE + (unitPrice * BigInt(units) + 999_999n) / 1_000_000n;
}
