import { RpcFault, type Terms } from '../port.ts';
import { TOKEN_SIZE } from './abi.ts';
import type { Solana } from './adapter.ts';
import { CLOCK_SYSVAR, readAccounts, type SolanaRpc, timeOf } from './calls.ts';

/** What the chain is like at the moment, beside the tokens themselves. */
export interface NetworkConditions {
  readonly terms: Terms;
  /** The slot that the blockhash was taken from. */
  readonly slot: number;
  /** What the gatekeeper can spend, in lamports. */
  readonly funds: bigint;
  /** What a new token's account takes, in lamports. */
  readonly tokenRent: bigint;
  /** The chain's own clock, in Unix seconds. */
  readonly time: number;
}

/** The chain's own clock, in Unix seconds. */
export async function readTime(rpc: SolanaRpc): Promise<number> {
  const { accounts } = await readAccounts(rpc, [CLOCK_SYSVAR], 'confirmed');
  return timeOf(accounts[0]);
}

/** Of recent blocks, by the lowest price that each of them took: three in four took less. */
const PERCENTILE = 0.75;

/** A blockhash lives for 150 blocks, and no chain has more blocks than slots; with a margin. */
const LIFETIME_MAX_BLOCKS = 300;

/** What a look needs to know of the moment. */
export async function readConditions({ rpc, network, gatekeeper }: Solana): Promise<NetworkConditions> {
  const [{ context, value: latest }, prices, { accounts }, tokenRent, ownRent] = await Promise.all([
    rpc.getLatestBlockhash({ commitment: 'confirmed' }).send(),
    rpc.getRecentPrioritizationFees().send(),
    readAccounts(rpc, [gatekeeper, CLOCK_SYSVAR], 'confirmed'),
    rpc.getMinimumBalanceForRentExemption(TOKEN_SIZE).send(),
    rpc.getMinimumBalanceForRentExemption(0n).send(),
  ]);
  const [payer, clock] = accounts;
  const slot = Number(context.slot);
  const lastValidBlockHeight = Number(latest.lastValidBlockHeight);
  // Of a height that never comes, transactions would never be known to have expired.
  if (!(lastValidBlockHeight <= slot + LIFETIME_MAX_BLOCKS)) throw new RpcFault('a read failed: no end of a lifetime');
  const unitPrice = priceOf(
    prices.map(({ prioritizationFee }) => prioritizationFee),
    network,
  );
  return {
    terms: {
      fees: { unitPrice: String(unitPrice) },
      lifetime: { blockhash: latest.blockhash, lastValidBlockHeight },
    },
    slot,
    funds: (payer?.lamports ?? 0n) - ownRent,
    tokenRent,
    time: timeOf(clock),
  };
}

/** The price per compute unit that most recent blocks took, in micro-lamports, within the network's bounds. */
function priceOf(recent: readonly bigint[], { minUnitPrice, maxUnitPrice }: Solana['network']): number {
  const sorted = recent.map(Number).toSorted((a, b) => a - b);
  const price = sorted[Math.ceil(sorted.length * PERCENTILE) - 1] ?? 0;
  return Math.min(maxUnitPrice, Math.max(minUnitPrice, price));
}

/** Per signature, whatever a transaction does. */
const BASE_FEE = 5_000n;

/** What a transaction takes beside rent, in lamports. */
export function feeOf({ fees }: Terms, units: number): bigint {
  const micro = BigInt(fees.unitPrice ?? 0) * BigInt(units);
  return BASE_FEE + (micro + 999_999n) / 1_000_000n;
}
