import type { OnChain, PassKey } from '../pass/pass.ts';
import type { Step } from '../pass/step.ts';

/**
 * What a signer object needs of a chain. An adapter keeps nothing: what must survive, the signer stores and hands in
 * again. Every method reads or sends for many steps at once and throws RpcFault when the nodes do not answer.
 */
export interface ChainPort {
  /**
   * What the chain holds for these steps, and whether their calls would succeed now.
   * @param unmined How many transactions of the key no block holds yet: the chain does not show what they will cost.
   */
  prepare(steps: readonly Step[], unmined: number): Promise<Prepared>;
  /** What the chain holds for these passes, as deep as transactions are confirmed; one reading each, in order. */
  read(questions: readonly Question[]): Promise<Reading[]>;
  /** Signs a call that `look` found ready. Sends nothing. Throws Forbidden for what the service does not do or pay. */
  sign(call: Call, terms: Terms, nonce: number | undefined): Promise<Signed>;
  /** Hands signed bytes to the nodes; one answer per transaction, in order. */
  broadcast(signed: readonly Signed[]): Promise<BroadcastResult[]>;
  /** What became of transactions in flight; one sighting each, in order. */
  track(flights: readonly InFlightTransaction[]): Promise<InclusionStatus[]>;
  /** How the account stands that signs and pays. */
  account(): Promise<Account>;
  /**
   * The same calls at the same nonces, signed anew at a higher price: for transactions that no block takes. One for each, in
   * order; undefined where that cannot be or would not help (the highest price is reached, the account cannot pay it, no blocks
   * are made, the bytes are for another contract, or the chain knows no such thing). Sends nothing.
   */
  replaceTransactions(signed: readonly Signed[]): Promise<(Signed | undefined)[]>;
  /** Uses up nonces that nothing was signed for, with transactions that do nothing: what comes after them waits for them. Nothing
   * is sent on the word of a node that may be behind. */
  fillNonceGaps(nonces: readonly number[]): Promise<void>;
}

export interface Account {
  /** In the chain's smallest unit (wei, lamports). */
  readonly balance: bigint;
  /** Where the account's nonces stand, on chains that have them. */
  readonly nonces?: Nonces;
}

export interface Nonces {
  /** As many transactions of the account are in blocks. */
  readonly latest: number;
  /** As many are in blocks, or wait at the node that was asked. */
  readonly pending: number;
}

/** A pass, and what is known of it. */
export interface Question {
  readonly key: PassKey;
  readonly known?: OnChain | undefined;
}

export interface Prepared {
  readonly results: readonly PrepareResult[];
  readonly terms: Terms;
}

export type PrepareResult =
  /** The wallet has a token already, or what the step aims at holds, or cannot be done to what is there. */
  | { readonly type: 'found'; readonly onChain: OnChain }
  /** A call that would succeed, and what the chain holds once it has. */
  | { readonly type: 'ready'; readonly call: Call; readonly expectedOnChain: OnChain }
  /** Not now; what it keeps waiting says for whom. Resumes by itself. */
  | { readonly type: 'not-now'; readonly why: string; readonly blocks: 'step' | 'gatekeeper-network' | 'signer' }
  /** Never: the reason is for the partner. */
  | { readonly type: 'refused'; readonly reason: string };

export type Reading =
  | { readonly type: 'read'; readonly onChain: OnChain }
  /** It cannot be known now. */
  | { readonly type: 'unreadable'; readonly why: string };

/** A call of the gateway, as its adapter understands it: handed from `look` to `sign`, and never stored. */
export type Call = object;

/** What signing needs to know of the moment. */
export interface Terms {
  readonly fees: Readonly<Record<string, string>>;
  /** Where the account's nonces stand, on chains that have them. */
  readonly nonces?: Nonces;
  /** What a transaction is bound to, on chains where it may enter blocks for a while only. */
  readonly lifetime?: { readonly blockhash: string; readonly lastValidBlockHeight: number };
}

/** A signed transaction. The bytes are kept until it is final: the same ones go out again. */
export interface Signed {
  readonly identifier: string;
  readonly bytes: string;
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
  /** Confirmed, and deep enough never to leave the chain. */
  | { readonly type: 'final' };

/** The nodes gave no usable answer: worth another try later. Says nothing of the endpoint, which may carry a key. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault';
}

/** A transaction that must not be signed, whoever asks for it. */
export class SigningRefused extends Error {
  override readonly name = 'Forbidden';
}
