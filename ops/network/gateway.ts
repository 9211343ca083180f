import type { BroadcastResult, Pairs } from '../../src/chain/port.ts';
import type { Change, Standing } from './change.ts';
import type { SignedTransaction } from './transactions-file.ts';

/** The addresses that a reading of a gatekeeper network asks for. */
export interface Question {
  readonly authorities: readonly string[];
  readonly gatekeepers: readonly string[];
}

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

/** A gatekeeper network in the contract or the program of one network. Every method throws RpcFault if no node answers. */
export interface Gateway {
  /** Name of the network. */
  readonly network: string;
  /** Address of the contract or the program. */
  readonly address: string;
  readonly blockMs: number;
  read(question: Question): Promise<Standing>;
  /** Returns the accounts that became authorities from that block on. Only where somebody else may become one. */
  readNewAuthorities?(fromBlock: number): Promise<string[]>;
}

/** A gateway with the account that changes the gatekeeper network. */
export interface Sender {
  readonly gateway: Gateway;
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

/** Reads everything that shows whether the chain has the changes, and whether the account is an authority. */
export function readStanding(gateway: Gateway, changes: readonly Change[], account?: string): Promise<Standing> {
  const addressesOf = (role: string) =>
    changes.flatMap((change) => ('address' in change && change.type.endsWith(role) ? change.address : []));
  const authorities = new Set([...addressesOf('authority'), ...(account === undefined ? [] : [account])]);
  return gateway.read({ authorities: [...authorities], gatekeepers: addressesOf('gatekeeper') });
}

/** Returns why the nodes refuse the only transaction of a broadcast; undefined: they have it. */
export function refusalIn([only]: Pairs<unknown, BroadcastResult>): string | undefined {
  const result = only?.[1];
  if (result === undefined || result.type === 'accepted') return undefined;
  return result.code === 'no-funds' ? 'the account has no funds' : result.detail;
}
