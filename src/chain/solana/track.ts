import { HOUR_MS } from '../../lib/time.ts';
import { type InclusionStatus, type InFlightTransaction, type Pairs, RpcFault } from '../port.ts';
import type { Solana } from './context.ts';
import { LIFETIME_MAX_BLOCKS } from './network-conditions.ts';
import { readStatuses, type SolanaRpc, type Status } from './rpc.ts';

/** The finalized chain at one moment. */
interface View {
  readonly slot: number;
  readonly height: bigint;
}

/** Maximum number of transactions per search of the history: nodes look them up one after another in a slow store. */
const HISTORY_MAX_TRANSACTIONS = 32;

/**
 * Reads the statuses of all transactions in one request. Some transactions are unknown to the node although its finalized chain
 * must include them by now or never can. For these it also searches the node's history before it concludes anything.
 */
export async function track<T extends InFlightTransaction>(
  { rpc }: Solana,
  transactions: readonly T[],
): Promise<Pairs<T, InclusionStatus>> {
  const [{ absoluteSlot: slot, blockHeight: height }, recent] = await Promise.all([
    rpc.getEpochInfo({ commitment: 'finalized' }).send(),
    statusesOf(rpc, transactions, false),
  ]);
  const view = { slot: Number(slot), height };
  const lost = transactions
    .filter((transaction) => !recent.statuses.has(transaction) && isDecided(transaction, view))
    .slice(0, HISTORY_MAX_TRANSACTIONS);
  const history = await historyOf(rpc, lost);
  function statusOf(transaction: T): InclusionStatus {
    const seen = recent.statuses.get(transaction) ?? history.statuses.get(transaction);
    if (seen !== undefined) return inclusionOf(transaction, seen);
    const absent = transaction.includedIn === undefined ? 'unconfirmed' : 'still-included';
    if (!lost.includes(transaction)) return { type: absent };
    if ('fault' in history) return { type: 'unknown', why: history.fault };
    // A node that is behind the finalized chain proves nothing.
    if (history.slot < view.slot) return { type: absent };
    return transaction.includedIn === undefined ? { type: 'expired', asOf: view.slot } : { type: 'unconfirmed' };
  }
  return transactions.map((transaction) => [transaction, statusOf(transaction)]);
}

/** No transaction lives longer. If its stored height is further away, the endpoint that named the height lied. */
const LIFETIME_MAX_MS = HOUR_MS;

/** Whether the finalized chain must include the transaction by now, or never can. */
function isDecided({ includedIn, lastValidBlockHeight, signedAtMs }: InFlightTransaction, view: View): boolean {
  if (includedIn !== undefined) return view.slot >= includedIn.block;
  if (lastValidBlockHeight === undefined) return false;
  const isOld = Date.now() - signedAtMs > LIFETIME_MAX_MS;
  const end = BigInt(lastValidBlockHeight);
  return view.height > end || (isOld && end > view.height + LIFETIME_MAX_BLOCKS);
}

interface Seen {
  readonly identifier: string;
  readonly status: Status;
}

async function statusesOf(rpc: SolanaRpc, transactions: readonly InFlightTransaction[], history: boolean) {
  const identifiers = transactions.flatMap((transaction) => transaction.identifiers);
  const { slot, statuses } = await readStatuses(rpc, identifiers, history);
  const seen = transactions.flatMap((transaction) =>
    transaction.identifiers.flatMap((identifier) => {
      const status = statuses.get(identifier);
      return status === undefined ? [] : [[transaction, { identifier, status }] as const];
    }),
  );
  return { slot, statuses: new Map<InFlightTransaction, Seen>(seen) };
}

/** Searches the history. If the node has none, only these transactions wait. */
async function historyOf(rpc: SolanaRpc, transactions: readonly InFlightTransaction[]) {
  try {
    return await statusesOf(rpc, transactions, true);
  } catch (fault) {
    if (!(fault instanceof RpcFault)) throw fault;
    return { fault: fault.message, statuses: new Map<InFlightTransaction, Seen>() };
  }
}

/** Returns the status of a transaction that the node knows. */
function inclusionOf({ includedIn }: InFlightTransaction, { identifier, status }: Seen): InclusionStatus {
  const isFinal = status.confirmationStatus === 'finalized';
  if (!isFinal && status.confirmationStatus !== 'confirmed')
    return { type: includedIn ? 'still-included' : 'unconfirmed' };
  // If the step were signed again before this block is final, both transactions could take effect after a fork.
  if (status.err !== null) return isFinal ? { type: 'without-effect', identifier } : { type: 'unconfirmed' };
  const block = Number(status.slot);
  if (includedIn?.block === block) return { type: isFinal ? 'final' : 'still-included' };
  return { type: 'confirmed', identifier, includedIn: { block } };
}
