import type { BroadcastResult, Pairs } from '../../src/chain/port.ts';
import type { SignedTransaction } from './transactions-file.ts';

/**
 * The progress of a transaction:
 * - `pending`: no block includes it yet
 * - `ahead`: the chain lacks an earlier nonce of the account
 * - `included`: a block includes it, and a reorg may still remove it
 * - `reverted`: a block includes it without effect, and a reorg may still remove it
 * - `final`
 * - `failed`: a final block includes it without effect
 * - `lost`: no block can include it any longer, as far as the nodes show
 */
export type Progress = 'pending' | 'ahead' | 'included' | 'reverted' | 'final' | 'failed' | 'lost';

/** The subject of the changes on one network. Every method throws RpcFault if no node answers. */
export interface Changed<Change> {
  /** Name of the network. */
  readonly network: string;
  /** Address of the contract or the program that the transactions call. */
  readonly address: string;
  readonly blockMs: number;
  /** Returns the change as part of a sentence. */
  describe(change: Change): string;
  /** Returns the changes that the chain lacks. */
  findMissing(changes: readonly Change[]): Promise<Change[]>;
}

/** An account that makes changes, each with a transaction of its own. */
export interface Sender<Change> {
  /** Address of the account. It pays. */
  readonly account: string;
  /** Returns the estimated cost of the changes, in order, in the smallest unit. */
  estimate(changes: readonly Change[]): Promise<bigint[]>;
  /** Returns the amount that the account can spend. */
  readFunds(): Promise<bigint>;
  /** Returns a short readable amount with its unit. */
  formatAmount(smallest: bigint): string;
  /**
   * Signs a transaction for the next nonce or the newest blockhash. Throws Failure if the chain refuses the change.
   * @param firstNonce The one after the highest nonce of the stored transactions. The nodes may not know these yet.
   */
  sign(change: Change, firstNonce: number): Promise<SignedTransaction>;
  /** Hands the bytes to the nodes. Returns why they refuse them; undefined: they have them. */
  broadcast(transaction: SignedTransaction): Promise<string | undefined>;
  track(transaction: SignedTransaction): Promise<Progress>;
}

/** Returns why the nodes refuse the only transaction of a broadcast; undefined: they have it. */
export function refusalIn([only]: Pairs<unknown, BroadcastResult>): string | undefined {
  const result = only?.[1];
  if (result === undefined || result.type === 'accepted') return undefined;
  return result.code === 'no-funds' ? 'the account has no funds' : result.detail;
}
