import type { Blockhash } from '@solana/kit';
import type { UnixSeconds } from '../../lib/brand.ts';
import { type Account, RpcFault } from '../port.ts';
import type { Lamports, MicroLamports } from '../units.ts';
import { TOKEN_SIZE } from './abi.ts';
import type { Solana } from './context.ts';
import { priceOf } from './price.ts';
import { CLOCK_SYSVAR, readAccounts, type SolanaRpc, timeOf } from './rpc.ts';

/** What a transaction is bound to: after that block height no block can include it. */
export interface Lifetime {
  readonly blockhash: Blockhash;
  readonly lastValidBlockHeight: bigint;
}

/** The state of the network at one moment, beside the tokens. */
export interface NetworkConditions {
  /** Price per compute unit. */
  readonly unitPrice: MicroLamports;
  readonly lifetime: Lifetime;
  /** The slot of `lifetime`'s blockhash. */
  readonly slot: number;
  /** What the gatekeeper can spend. */
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

/** A blockhash lives for 150 blocks. The rest is a margin for nodes behind one URL that are not at the same block. */
export const LIFETIME_MAX_BLOCKS = 300n;

/** The rent of a token's account as the clusters ask it: an endpoint could hide spending with a lower one. */
const TOKEN_MIN_RENT: Lamports = (128n + TOKEN_SIZE) * 6_960n;
/** A higher one is no rent. */
const TOKEN_MAX_RENT = 4n * TOKEN_MIN_RENT;

/** Reads all that `prepare` needs to know beside the tokens. */
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
  // The service would never find a transaction expired whose height never comes. The slot is no bound: many slots have no block.
  if (!(lifetime.lastValidBlockHeight <= height + LIFETIME_MAX_BLOCKS)) {
    throw new RpcFault('a read failed: no end of a lifetime');
  }
  if (!(rent > 0n && rent <= TOKEN_MAX_RENT && ownRent > 0n)) throw new RpcFault('a read failed: no rent');
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

/** Reads the gatekeeper's balance. */
export async function readAccount({ rpc, gatekeeper }: Pick<Solana, 'rpc' | 'gatekeeper'>): Promise<Account> {
  const { value: balance } = await rpc.getBalance(gatekeeper, { commitment: 'confirmed' }).send();
  return { balance };
}
