import type { Pairs } from '../pairs.ts';
import { type InclusionStatus, type InFlightTransaction, RpcFault } from '../port.ts';
import type { Solana } from './context.ts';
import { LIFETIME_MAX_BLOCKS } from './network-conditions.ts';
import { readStatuses, type SolanaRpc, type Status } from './rpc.ts';

/** The finalized chain as it was seen at one moment. */
interface View {
  readonly slot: number;
  readonly height: bigint;
}

/** Transactions whose history is asked for at a time: nodes look them up one after the other, in a slow store. */
const HISTORY_MAX_TRANSACTIONS = 32;

/**
 * Reads the statuses of all transactions in one request. If the node does not know a transaction, and its finalized chain
 * must include it by now or never can, the node's history is searched as well before anything is concluded.
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

/** Every lifetime is over by then: a stored one that is not was a lie of the endpoint that the transaction was signed for. */
const LIFETIME_MAX_MS = 3_600_000;

/** Whether the finalized chain must hold the transaction by now, if it ever will. */
function isDecided({ includedIn, lastValidBlockHeight, signedAtMs }: InFlightTransaction, view: View): boolean {
  if (includedIn !== undefined) return view.slot >= includedIn.block;
  if (lastValidBlockHeight === undefined) return false;
  const isOld = signedAtMs !== undefined && Date.now() - signedAtMs > LIFETIME_MAX_MS;
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

/** Not every node has its history. Then these transactions wait, and no others. */
async function historyOf(rpc: SolanaRpc, transactions: readonly InFlightTransaction[]) {
  try {
    return await statusesOf(rpc, transactions, true);
  } catch (fault) {
    if (!(fault instanceof RpcFault)) throw fault;
    return { fault: fault.message, statuses: new Map<InFlightTransaction, Seen>() };
  }
}

/** What the status of a transaction says. */
function inclusionOf({ includedIn }: InFlightTransaction, { identifier, status }: Seen): InclusionStatus {
  const isFinal = status.confirmationStatus === 'finalized';
  if (!isFinal && status.confirmationStatus !== 'confirmed')
    return { type: includedIn ? 'still-included' : 'unconfirmed' };
  // Signed anew before this one is final, both could take effect after a fork.
  if (status.err !== null) return isFinal ? { type: 'without-effect', identifier } : { type: 'unconfirmed' };
  const block = Number(status.slot);
  if (includedIn?.block === block) return { type: isFinal ? 'final' : 'still-included' };
  return { type: 'confirmed', identifier, includedIn: { block } };
}
