import type { Milliseconds, NanoCoins, UnixSeconds } from '../lib/brand.ts';
import type { OnChain, PassKey } from '../pass/pass.ts';
import type { Step } from '../pass/step.ts';
import type { Pairs } from './pairs.ts';
import type { Lamports, Wei } from './units.ts';

/**
 * What a signer object needs of a chain. An adapter keeps nothing: the signer stores everything that must survive, and
 * hands it in again. Every method works on many items at once, returns each item of the caller with its answer, in the
 * same order, and throws RpcFault if the nodes do not answer.
 */
export interface ChainPort {
  /**
   * Reads the wallet's tokens and simulates the call of every step.
   * @param unmined Number of the key's transactions that are in no block yet: the balance does not show their cost.
   */
  prepare<R extends { readonly step: Step }>(requests: readonly R[], unmined: number): Promise<Prepared<R>>;
  /**
   * Reads what the chain holds of these passes, at the depth at which transactions count as confirmed. With several
   * endpoints, reports news only if a second one shows the same, and the loss of a valid token only as of a final block.
   */
  read<Q extends Question>(questions: readonly Q[]): Promise<Pairs<Q, Reading>>;
  /** Hands signed bytes to the nodes. */
  broadcast<T extends { readonly signed: Signed }>(transactions: readonly T[]): Promise<Pairs<T, BroadcastResult>>;
  /**
   * Finds out which of these transactions blocks include. With several endpoints, concludes something for good only if all
   * that answer do.
   */
  track<T extends InFlightTransaction>(transactions: readonly T[]): Promise<Pairs<T, InclusionStatus>>;
  /** Reads the balance and the nonces of the account that signs and pays. With two endpoints, the higher nonces. */
  account(): Promise<Account>;
  /** Reads the account's nonce as of the newest final block, the lowest that any endpoint shows; undefined on chains without nonces, and without a final block. */
  finalNonce(): Promise<FinalNonce | undefined>;
  /**
   * Signs the same calls again at the same nonces and a higher price, for transactions that no block includes. Sends
   * nothing. A transaction gets no replacement (undefined) in these cases:
   * - its price has reached the network's limit, or the account cannot pay more;
   * - the chain makes no blocks, so the price is not the reason;
   * - its bytes call another contract than the configured one;
   * - the chain has no replacements.
   */
  replaceTransactions<T extends { readonly signed: Signed }>(
    transactions: readonly T[],
  ): Promise<Pairs<T, Signed | undefined>>;
  /**
   * Signs transactions that do nothing, to use up nonces that nothing was signed for: later transactions wait for these
   * nonces. Sends nothing. Returns none while the node may be behind its chain.
   */
  signGapFillers(nonces: readonly number[]): Promise<readonly (Signed & { readonly nonce: number })[]>;
}

export interface Account {
  readonly balance: Wei | Lamports;
  /** Undefined on chains without nonces. */
  readonly nonces?: Nonces;
}

/** The next nonces of an account, as one node counts them. */
export interface Nonces {
  /** Number of the account's transactions in blocks. */
  readonly latest: number;
  /** The same, with the transactions that wait at the node. */
  readonly pending: number;
}

/** The next nonce of an account as of the newest final block: all nonces below it are used up for good. */
export interface FinalNonce {
  readonly nonce: number;
  /** Time of that block. */
  readonly time: UnixSeconds;
}

/** A pass, and what is known of it. */
export interface Question {
  readonly key: PassKey;
  readonly known?: OnChain | undefined;
}

export interface Prepared<R> {
  readonly results: Pairs<R, PrepareResult>;
  /** Undefined on chains without nonces. */
  readonly nonces?: Nonces;
}

export type PrepareResult =
  /** The chain already fulfills the step, or holds a token that the step can do nothing to. */
  | { readonly type: 'found'; readonly onChain: OnChain }
  | ReadyCall
  /** Temporary: the step is prepared again later. `blocks` names what else waits with it. */
  | {
      readonly type: 'not-now';
      readonly why: string;
      readonly blocks: 'step' | 'gatekeeper-network' | 'signer';
      /** Whether the contract or program answered an error that the service does not know. `why` quotes it. */
      readonly isUnknownError?: true;
    }
  /** Never possible. The reason is for the partner. */
  | { readonly type: 'refused'; readonly reason: string };

/** A call that succeeded in simulation. */
export interface ReadyCall {
  readonly type: 'ready';
  /** The call as a text: endpoints that show the same state of the chain lead to the same call. */
  readonly call: string;
  /** What the chain holds after the call. */
  readonly expectedOnChain: OnChain;
  /** The most that the transaction takes from the account: its fee, and the rent of a new account. */
  readonly maxCost: NanoCoins;
  /** Once the final chain is above that height, no block will hold the transaction any more; undefined: any may. */
  readonly lastValidBlockHeight?: number | undefined;
  /**
   * Signs the call at the price that `prepare` read. Sends nothing.
   * Throws SigningRefused if the signing policy does not allow the transaction.
   * @param nonce Undefined on chains without nonces.
   */
  sign(nonce: number | undefined): Promise<Signed>;
}

export type Reading =
  | { readonly type: 'read'; readonly onChain: OnChain }
  /** The wallet seems to have lost its valid token, which no final block shows yet. */
  | { readonly type: 'not-final' }
  /** It cannot be known now. */
  | { readonly type: 'unreadable'; readonly why: string };

/** A signed transaction. The bytes are kept until it is final: the same ones go out again. */
export interface Signed {
  readonly identifier: string;
  readonly bytes: string;
  /** The most that it takes from the account; undefined: an earlier release signed it. */
  readonly maxCost?: NanoCoins;
  /** Once the final chain is above that height, no block will hold it any more; undefined: any may. */
  readonly lastValidBlockHeight?: number | undefined;
}

export type BroadcastResult =
  /** A node has it (or had it before). */
  | { readonly type: 'accepted' }
  /** The account cannot pay: nothing of this signer can go out. */
  | { readonly type: 'no-funds' }
  /** Not taken, and the reason does not say that it never will be. */
  | { readonly type: 'refused'; readonly why: string };

export interface InFlightTransaction {
  readonly step: Step;
  /** All that were signed for the step and may still count: any of them may be the one. */
  readonly identifiers: readonly string[];
  /** Once the final chain is above that height, no block will hold any of them; undefined: there is no such height. */
  readonly lastValidBlockHeight?: number | undefined;
  /** When the newest of them was signed; undefined: by an earlier release. */
  readonly signedAtMs?: Milliseconds | undefined;
  /** The account's nonce that all of them have, on chains that have them: another final transaction with it ends them all. */
  readonly nonce?: number | undefined;
  /** Where it was seen before. */
  readonly includedIn?: BlockReference | undefined;
}

/** The block that holds a transaction; JSON. */
export interface BlockReference {
  /** Its number; on Solana, its slot. */
  readonly block: number;
  /** Where its number is not enough to know it again. */
  readonly hash?: string;
}

export type InclusionStatus =
  /** In no block, or not deep enough in one; of a transaction that was in one: that block has left the chain. */
  | { readonly type: 'unconfirmed' }
  /** What became of it cannot be known now, and not by looking more often. */
  | { readonly type: 'unknown'; readonly why: string }
  | { readonly type: 'confirmed'; readonly identifier: string; readonly includedIn: BlockReference }
  /** Still where it was confirmed, not final yet. */
  | { readonly type: 'still-included' }
  /** In no block, and too late for any: it never will be. The final block (Solana: slot) that shows it. */
  | { readonly type: 'expired'; readonly asOf: number }
  /** In a block for good, without the effect of the step: reverted, or no contract answered. */
  | { readonly type: 'without-effect'; readonly identifier: string }
  /** Confirmed, and deep enough never to leave the chain. `cost`: what it took from the account, if that is known. */
  | { readonly type: 'final'; readonly cost?: NanoCoins | undefined };

/** The nodes gave no usable answer: worth another try later. Says nothing of the endpoint, which may carry a key. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault';
}

/** A transaction that must not be signed, whoever asks for it. */
export class SigningRefused extends Error {
  override readonly name = 'SigningRefused';
}
