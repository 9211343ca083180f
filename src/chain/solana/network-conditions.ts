import type { Address, Blockhash } from '@solana/kit';
import type { SolanaNetwork } from '../../network/network.ts';
import type { NewestBlock } from '../block-age.ts';
import { type Rent, RpcFault, type SenderAccount } from '../port.ts';
import type { Lamports, MicroLamports } from '../units.ts';
import { TOKEN_SIZE } from './gateway.ts';
import { CLOCK_SYSVAR, ifAnswered, newestBlockOf, readAccounts, type Solana, type SolanaRpc } from './rpc.ts';

/** The lifetime of a transaction as the wire has it: above that block height, no block can include it. */
export interface BlockhashLifetime {
  readonly blockhash: Blockhash;
  readonly lastValidBlockHeight: bigint;
}

/** The state of the network at one moment, apart from tokens. */
export interface NetworkConditions {
  /** Price per compute unit. */
  readonly unitPrice: MicroLamports;
  readonly lifetime: BlockhashLifetime;
  /** The slot of `lifetime`'s blockhash. */
  readonly slot: number;
  /** The amount that the gatekeeper can spend. */
  readonly funds: Lamports;
  /** Rent of a new token's account, and of an account without data. */
  readonly tokenRent: Rent;
  readonly emptyRent: Rent;
  /** The newest block as the chain's own clock shows it. */
  readonly newest: NewestBlock;
}

/** Reads the newest block as the chain's own clock shows it. */
export async function readNewestBlock(rpc: SolanaRpc): Promise<NewestBlock> {
  const { accounts } = await readAccounts(rpc, [CLOCK_SYSVAR], 'confirmed');
  return newestBlockOf(accounts.get(CLOCK_SYSVAR));
}

/** Number of blocks for which a blockhash is valid (Agave's `MAX_PROCESSING_AGE`). */
const LIFETIME_BLOCKS = 150n;
/** The rest is a margin, because nodes behind one URL may be at different blocks. */
export const LIFETIME_MAX_BLOCKS = 2n * LIFETIME_BLOCKS;

/**
 * Lamports per byte. The highest is the rent of all clusters until SIMD-0437 began to lower it in September 2026, in steps of which the
 * last is 696; SIMD-0438 can set it back (solana-foundation/solana-com PR 2038, read on 2026-11-28). Any rent between a quarter of the last step and
 * four times the highest is possible. If the clusters ever leave these bounds, the highest counts.
 */
export const RENT_HIGHEST: Lamports = 6_960n;
export const RENT_LOWEST: Lamports = 696n;
const RENT_MIN: Lamports = RENT_LOWEST / 4n;
const RENT_MAX: Lamports = 4n * RENT_HIGHEST;
/** Bytes that an account counts in addition to its data. */
const ACCOUNT_OVERHEAD = 128n;

/** Maximum number of accounts in one call for prices (Agave's `MAX_TX_ACCOUNT_LOCKS`). */
const PRICED_MAX_ACCOUNTS = 128;

/**
 * Reads everything that `prepare` needs apart from tokens.
 * @param written Accounts that the transactions write, apart from that of the gatekeeper. A price without accounts is that of the
 * cheapest transaction of each block, which is 0 in busy blocks too.
 */
export async function readConditions(
  { rpc, network, gatekeeper }: Pick<Solana, 'rpc' | 'network' | 'gatekeeper'>,
  written: readonly Address[] = [],
): Promise<NetworkConditions> {
  const priced = [gatekeeper, ...written].slice(0, PRICED_MAX_ACCOUNTS);
  const [{ context, value: lifetime }, epoch, prices, { accounts }, ofToken, ofEmpty] = await Promise.all([
    rpc.getLatestBlockhash({ commitment: 'confirmed' }).send(),
    ifAnswered(rpc.getEpochInfo({ commitment: 'confirmed' }).send()),
    ifAnswered(rpc.getRecentPrioritizationFees(priced).send()),
    readAccounts(rpc, [gatekeeper, CLOCK_SYSVAR], 'confirmed'),
    ifAnswered(rpc.getMinimumBalanceForRentExemption(TOKEN_SIZE).send()),
    ifAnswered(rpc.getMinimumBalanceForRentExemption(0n).send()),
  ]);
  const { lastValidBlockHeight: end } = lifetime;
  // A transaction with a height far in the future would never count as expired. The slot is no bound: many slots have no block.
  if (epoch !== undefined && !(end >= epoch.blockHeight && end <= epoch.blockHeight + LIFETIME_MAX_BLOCKS))
    throw new RpcFault('a read failed: the heights of getLatestBlockhash and getEpochInfo contradict each other');
  const emptyRent = rentOf(ofEmpty, 0n);
  return {
    unitPrice: priceOf(
      (prices ?? []).map(({ prioritizationFee }) => prioritizationFee),
      network,
    ),
    lifetime,
    slot: Number(context.slot),
    funds: (accounts.get(gatekeeper)?.lamports ?? 0n) - BigInt(emptyRent.shown),
    tokenRent: rentOf(ofToken, TOKEN_SIZE),
    emptyRent,
    newest: newestBlockOf(accounts.get(CLOCK_SYSVAR)),
  };
}

/**
 * Returns the rent that a node reports for an account of that size. A report that is too low counts as the lowest possible one. If it is
 * missing or too high, the highest known one counts.
 */
function rentOf(reported: Lamports | undefined, size: bigint): Rent {
  const [highest, min, max] = [RENT_HIGHEST, RENT_MIN, RENT_MAX].map(
    (perByte) => (ACCOUNT_OVERHEAD + size) * perByte,
  ) as [Lamports, Lamports, Lamports];
  const shown = reported === undefined || reported > max ? highest : highestOf(reported, min);
  return { shown: Number(shown), highest: Number(highest) };
}

/**
 * Returns a height above which no block can include a transaction with this blockhash. Undefined: the endpoint does not know the
 * blockhash, or it has expired.
 */
export async function readLastHeight({ rpc }: Pick<Solana, 'rpc'>, blockhash: string): Promise<number | undefined> {
  // A blockhash that another endpoint has confirmed may be newer than the last block that this one has confirmed.
  const newest = { commitment: 'processed' } as const;
  const [{ value: isValid }, { blockHeight }] = await Promise.all([
    rpc.isBlockhashValid(blockhash as Blockhash, newest).send(),
    rpc.getEpochInfo(newest).send(),
  ]);
  return isValid === true ? Number(blockHeight + LIFETIME_BLOCKS) : undefined;
}

/** The final chain at one moment. */
export interface FinalChain {
  readonly slot: number;
  readonly height: bigint;
}

/**
 * Returns the final chain, from getEpochInfo, or as getLatestBlockhash shows it. Undefined: the endpoint shows none that is possible.
 * No single call can put it too far ahead: steps would count as expired too early.
 * @param epoch The result of getEpochInfo.
 * @param newest The newest slot of the endpoint as a third call shows it.
 */
export async function readFinalChain(
  { rpc }: Pick<Solana, 'rpc'>,
  epoch: { readonly absoluteSlot: bigint; readonly blockHeight: bigint } | undefined,
  newest = 0,
): Promise<FinalChain | undefined> {
  const first = epoch && finalChainAt(epoch.absoluteSlot, epoch.blockHeight);
  if (first && first.slot <= newest) return first;
  const { context, value } = await rpc.getLatestBlockhash({ commitment: 'finalized' }).send();
  const second = finalChainAt(context.slot, value.lastValidBlockHeight - LIFETIME_BLOCKS);
  if (first && second) return first.slot < second.slot ? first : second;
  const only = first ?? second;
  return only && only.slot <= newest ? only : undefined;
}

/** Every block has a slot, and many slots have no block. */
function finalChainAt(slot: bigint, height: bigint): FinalChain | undefined {
  return height > 0n && height <= slot ? { slot: Number(slot), height } : undefined;
}

export async function readAccount({ rpc, gatekeeper }: Pick<Solana, 'rpc' | 'gatekeeper'>): Promise<SenderAccount> {
  const { accounts } = await readAccounts(rpc, [gatekeeper], 'confirmed');
  return { balance: accounts.get(gatekeeper)?.lamports ?? 0n };
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

/** Factor by which the price of a step rises each time that its transaction expires: three expiries lead from 1,000 to 1,000,000. */
const RAISE_FACTOR = 10n;
/** The price from which it rises at least. */
const RAISED_MIN: MicroLamports = 1_000n;

/** Returns the price for a step whose transactions have expired that many times, up to the cap. Pure. */
export function raisePrice(
  price: MicroLamports,
  expiries: number,
  { maxUnitPrice }: Pick<SolanaNetwork, 'maxUnitPrice'>,
): MicroLamports {
  const cap = BigInt(maxUnitPrice);
  let raised = price;
  for (let n = 0; n < expiries && raised < cap; n += 1) raised = highestOf(raised, RAISED_MIN) * RAISE_FACTOR;
  return raised < cap ? raised : cap;
}

const highestOf = (a: bigint, b: bigint) => (a > b ? a : b);

/** Returns the fee of a transaction with that many compute units, without rent. */
export function feeOf(unitPrice: MicroLamports, units: number): Lamports {
  return BASE_FEE + (unitPrice * BigInt(units) + 999_999n) / 1_000_000n;
}
