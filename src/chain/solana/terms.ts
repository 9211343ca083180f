import { type Address, getI64Decoder } from '@solana/kit';
import { RpcFault, type Terms } from '../port.ts';
import { TOKEN_SIZE } from './abi.ts';
import type { Solana } from './adapter.ts';
import { type Account, readAccounts } from './calls.ts';

/** What the chain is like at the moment, beside the tokens themselves. */
export interface Moment {
  readonly terms: Terms;
  /** What the gatekeeper can spend, in lamports. */
  readonly funds: bigint;
  /** What a new token's account takes, in lamports. */
  readonly tokenRent: bigint;
  /** The chain's own clock, in Unix seconds. */
  readonly time: bigint;
}

/** Holds the slot, the epoch's start, the epoch, the next one, and the time, each in 8 bytes. */
const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111' as Address;
const readTime = (data: Account['data']) => getI64Decoder().decode(data, 32);

/** Recent blocks of which this share was content with the price that is paid. */
const CONTENT = 0.75;

/** What signing needs to know. Throws RpcFault when the endpoint serves another cluster: nothing may be signed for it. */
export async function readMoment({ rpc, network, gatekeeper }: Solana): Promise<Moment> {
  const [genesis, { value: latest }, prices, [payer, clock], tokenRent, ownRent] = await Promise.all([
    rpc.getGenesisHash().send(),
    rpc.getLatestBlockhash({ commitment: 'confirmed' }).send(),
    rpc.getRecentPrioritizationFees().send(),
    readAccounts(rpc, [gatekeeper, CLOCK_SYSVAR], 'confirmed'),
    rpc.getMinimumBalanceForRentExemption(TOKEN_SIZE).send(),
    rpc.getMinimumBalanceForRentExemption(0n).send(),
  ]);
  if (genesis !== network.genesisHash) throw new RpcFault('the endpoint serves another cluster');
  if (clock === undefined) throw new RpcFault('the endpoint has no clock');
  const unitPrice = priceOf(
    prices.map(({ prioritizationFee }) => prioritizationFee),
    BigInt(network.maxUnitPrice),
  );
  return {
    terms: {
      fees: { unitPrice: String(unitPrice) },
      lifetime: { blockhash: latest.blockhash, lastValidBlockHeight: Number(latest.lastValidBlockHeight) },
    },
    funds: (payer?.lamports ?? 0n) - ownRent,
    tokenRent,
    time: readTime(clock.data),
  };
}

/** The price per compute unit that most recent blocks were content with, in micro-lamports, and never above the cap. */
function priceOf(recent: readonly bigint[], cap: bigint): bigint {
  const sorted = recent.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
  const price = sorted[Math.ceil(sorted.length * CONTENT) - 1] ?? 0n;
  return price < cap ? price : cap;
}

const BEHIND_S = 10 * 60;

/**
 * Whether the chain's clock is so old that the node may be behind its cluster, and what it does not show may be there.
 * `now` in milliseconds.
 */
export function mayBeBehind({ time }: Moment, now: number): boolean {
  return now / 1000 - Number(time) > BEHIND_S;
}

/** Per signature, whatever a transaction does. */
const BASE_FEE = 5_000n;

/** What a transaction takes beside rent, in lamports. */
export function feeOf({ fees }: Terms, units: number): bigint {
  const micro = BigInt(fees.unitPrice ?? 0) * BigInt(units);
  return BASE_FEE + (micro + 999_999n) / 1_000_000n;
}
