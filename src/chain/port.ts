import type { Milliseconds, NanoCoins, UnixSeconds } from '../lib/units.ts';
import type { Observation } from '../pass/adopt.ts';
import type { OnChain, PassKey } from '../pass/pass.ts';
import type { Step } from '../pass/step.ts';
import type { KmsCode } from '../pass/wait-reasons.ts';
import type { NotNow, Refused } from './reasons.ts';
import type { Lamports, Wei } from './units.ts';

/**
 * The chain as a signer object uses it. An adapter stores nothing: the signer stores everything that must survive, and passes
 * it in again. Every method works on many items at once, returns each item of the caller with its answer, in the same order,
 * and throws RpcFault if the nodes do not answer.
 */
export interface ChainPort {
  /**
   * Reads the wallet's tokens and simulates the call of every step.
   * @param unmined Number of the key's transactions that no block includes yet. The balance does not show their cost.
   */
  prepare<R extends PrepareRequest>(requests: readonly R[], unmined: number): Promise<Prepared<R>>;
  /**
   * Reads the on-chain state of these passes at the depth at which transactions count as confirmed. With several endpoints, it
   * reports a change only if a second one shows the same, and the loss of a valid token only as of a final block.
   */
  read<Q extends Question>(questions: readonly Q[]): Promise<Pairs<Q, Reading>>;
  /**
   * Reads the on-chain state of these passes at the depth of confirmation and as of the newest final block. A state counts only if
   * two endpoints show it, or the only one.
   */
  observe<Q extends Question>(questions: readonly Q[]): Promise<Pairs<Q, Observation>>;
  /** Hands signed bytes to the nodes. With several endpoints, to each one that does not hang: one of them may not forward them. */
  broadcast<T extends { readonly signed: Signed }>(transactions: readonly T[]): Promise<Pairs<T, BroadcastResult>>;
  /**
   * Finds out which of these transactions blocks include. With several endpoints, it returns an irreversible status only if all
   * endpoints that answer agree, and `final` if two do.
   */
  track<T extends InFlightTransaction>(transactions: readonly T[]): Promise<Pairs<T, InclusionStatus>>;
  /** Reads the balance and the nonces of the account that signs and pays. Of two endpoints, it returns the higher nonces. */
  account(): Promise<SenderAccount>;
  /**
   * Reads the account's nonce as of the newest final block, the lowest that any endpoint shows. Undefined on chains without
   * nonces or without a final block.
   */
  finalNonce(): Promise<FinalNonce | undefined>;
  /** Reads the time between the newest blocks. Undefined on chains without replacements, which need it. */
  readBlockMs?(): Promise<Milliseconds>;
  /**
   * Signs the same calls again at the same nonces and a higher price, for transactions that no block includes. Sends
   * nothing. A transaction gets no replacement (undefined) in these cases:
   * - its price has reached the network's fee cap, or the account cannot pay more;
   * - the chain makes no blocks, so the price is not the reason;
   * - its bytes call another contract than that of its step;
   * - the chain has no replacements.
   *
   * A fault means that the KMS did not sign this one.
   */
  replaceTransactions<T extends { readonly step: Step; readonly signed: Signed }>(
    transactions: readonly T[],
  ): Promise<Pairs<T, Signed | KmsFault | undefined>>;
  /**
   * Signs transactions without effect for nonces that have no transaction, because later transactions wait for these nonces.
   * Sends nothing. Returns none while the node may be behind its chain, and none for a nonce whose earlier filler cannot pay more. A fault
   * means that the KMS did not sign this one.
   * @param earlier The bytes of the fillers that the new ones replace, by nonce.
   */
  signGapFillers(
    nonces: readonly number[],
    earlier?: ReadonlyMap<number, string>,
  ): Promise<Pairs<number, Signed | KmsFault>>;
}

export interface PrepareRequest {
  readonly step: Step;
  /** How many nonces, or on Solana expired transactions, were given up for it: their price may have been too low. */
  readonly noncesGivenUp?: number | undefined;
}

/** The account of a gatekeeper, which sends transactions and pays for them. */
export interface SenderAccount {
  readonly balance: Wei | Lamports;
  /** Undefined on chains without nonces. */
  readonly nonces?: Nonces;
}

/** The next nonces of an account, as one node counts them. */
export interface Nonces {
  /** Number of the account's transactions in blocks. */
  readonly latest: number;
  /** Number of the account's transactions in blocks and in the node's pool; undefined: the node does not show it. */
  readonly pending: number | undefined;
}

/** The next nonce of an account as of the newest final block. All lower nonces are used irreversibly. */
export interface FinalNonce {
  readonly nonce: number;
  /** Time of that block. */
  readonly time: UnixSeconds;
  /** Number of that block. */
  readonly asOf: number;
}

/** A pass with its contract and its known on-chain state. */
export interface Question {
  readonly key: PassKey;
  /** On Solana, the reading is that of the network's program. */
  readonly contract: string;
  readonly known?: OnChain | undefined;
}

export interface Prepared<R> {
  readonly results: Pairs<R, PrepareResult>;
  /** Undefined on chains without nonces. */
  readonly nonces?: Nonces;
  /** The lifetime of every transaction that is signed now. Undefined on chains whose transactions do not expire. */
  readonly lifetime?: Lifetime | undefined;
}

/** A transaction that names a recent block is valid for some blocks after it. */
export interface Lifetime {
  readonly blockhash: string;
  /** Above that height, no block can include the transaction. */
  readonly lastValidBlockHeight: number;
  /** Time of the chain's own clock when its endpoint was asked. */
  readonly time: UnixSeconds;
}

export type PrepareResult =
  /** The chain already fulfills the step, or holds a token that the step cannot change. */
  { readonly type: 'found'; readonly onChain: OnChain } | ReadyCall | NotNow | TooDear | Refused;

/** The endpoint shows a price above a cap. The call is ready apart from that, and at another endpoint's price it may be signed. */
export interface TooDear extends NotNow<'gas-price-too-high' | 'l1-fee-too-high'> {
  readonly ready: ReadyCall;
}

/** A call that succeeded in simulation. */
export interface ReadyCall {
  readonly type: 'ready';
  /** The call as text. Endpoints that show the same state of the chain produce the same text. */
  readonly call: string;
  /** On-chain state after the call. */
  readonly expectedOnChain: OnChain;
  /** Maximum cost of the transaction for the account: its fee, and the rent of a new account. The ceilings count it. */
  readonly maxCost: NanoCoins;
  /** The rent whose `highest` is in `maxCost`. Undefined: the call creates no account, or two endpoints have shown the rent. */
  readonly rent?: Rent | undefined;
  /**
   * Returns why the signing policy forbids the call, or undefined if it allows it, so that a forbidden call takes no nonce. `sign`
   * checks it again.
   */
  findViolation(nonce: number | undefined): string | undefined;
  /**
   * Signs the call at the price that `prepare` read. Sends nothing.
   * Throws SigningRefused if the signing policy does not allow the transaction, and KmsFault if a KMS does not sign.
   * @param nonce Undefined on chains without nonces.
   * @param lifetime The lifetime of the preparation. Undefined: the lifetime that the endpoint of the call shows.
   */
  sign(nonce: number | undefined, lifetime?: Lifetime): Promise<Signed>;
}

export type Reading =
  | { readonly type: 'read'; readonly onChain: OnChain }
  /** The wallet seems to have lost its valid token, but no final block shows that yet. */
  | { readonly type: 'not-final' }
  /** The state cannot be read now. `isUnanswered`: the endpoint did not answer, so another endpoint's reading counts. */
  | { readonly type: 'unreadable'; readonly why: string; readonly isUnanswered?: true };

/** A signed transaction. The signer keeps its bytes until it is final, and broadcasts the same bytes again. */
export interface Signed {
  readonly identifier: string;
  readonly bytes: string;
  /** Maximum cost for the account. */
  readonly maxCost: NanoCoins;
  /** Above that height of the final chain, no block can include it; undefined: it has no such height. */
  readonly lastValidBlockHeight?: number | undefined;
}

export type BroadcastResult =
  /** A node accepts it, or already had it. */
  { readonly type: 'accepted' } | NotNow<'no-funds' | 'broadcast-refused'>;

export interface InFlightTransaction {
  readonly step: Step;
  /** Identifiers of all transactions that were signed for the step. A block may include any one of them. */
  readonly identifiers: readonly string[];
  /** Above that height of the final chain, no block can include any of them; undefined: they have no such height. */
  readonly lastValidBlockHeight?: number | undefined;
  /** Time of the newest signature. */
  readonly signedAtMs: Milliseconds;
  /** The nonce that all of them share, on chains with nonces. Another final transaction with this nonce ends them all. */
  readonly nonce?: number | undefined;
  /** The block that included it when it was last seen. */
  readonly includedIn?: BlockReference | undefined;
}

/** The block that includes a transaction; JSON. */
export interface BlockReference {
  /** Its number; on Solana, its slot. */
  readonly block: number;
  /** Its hash, on chains where the number does not identify a block. */
  readonly hash?: string;
}

export type InclusionStatus =
  /**
   * No block includes it, or the block is not deep enough. For a transaction that a block included before: that block left the
   * chain.
   */
  | { readonly type: 'unconfirmed' }
  /**
   * The endpoint withholds what would show it, although its other answers prove that it exists, or endpoints disagree. It says nothing
   * about the transaction, so another endpoint's status counts. `why` names the call.
   */
  | { readonly type: 'unknown'; readonly why: string }
  | { readonly type: 'confirmed'; readonly identifier: string; readonly includedIn: BlockReference }
  /** The block of its confirmation still includes it and is not final yet. */
  | { readonly type: 'still-included' }
  /** No block includes it, and none ever can. `asOf` is the final block (Solana: slot) that shows it. */
  | { readonly type: 'expired'; readonly asOf: number }
  /** A final block includes it, without the effect of the step: it reverted, or no contract answered. */
  | { readonly type: 'without-effect'; readonly identifier: string }
  /** A final block includes it. `cost` is its actual cost for the account, if known. */
  | { readonly type: 'final'; readonly cost?: NanoCoins | undefined };

/** Why an endpoint gives no usable answer. `other`: any cause that the others do not name. */
export type FaultCode =
  | 'another-chain'
  | 'no-connection'
  | 'not-found'
  | 'redirect'
  | 'unauthorized'
  | 'rate-limit'
  | 'no-history'
  | 'other';

/**
 * The nodes gave no usable answer; a later attempt may succeed. The message does not contain the URL of the endpoint, which may
 * contain a key. Only the codes decide.
 */
export class RpcFault extends Error {
  override readonly name = 'RpcFault';
  /** One of each endpoint that was asked. */
  readonly codes: readonly FaultCode[];

  constructor(message: string, codes: readonly FaultCode[] = ['other']) {
    super(message);
    this.codes = codes;
  }
}

/** The signing policy does not allow a transaction. */
export class SigningRefused extends Error {
  override readonly name = 'SigningRefused';
}

/** A KMS does not sign now. The code is the reason to wait. The message is bounded and has no part of a credential. */
export class KmsFault extends Error {
  override readonly name = 'KmsFault';
  readonly code: KmsCode;

  constructor(code: KmsCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Each asked item with its answer. The caller gets its own objects back, so nothing depends on positions. */
export type Pairs<Asked, Answer> = readonly (readonly [asked: Asked, answer: Answer])[];

/** Pairs two lists of the same order. Throws if their lengths differ, because answers would belong to the wrong items. */
export function pairUp<Asked, Answer>(asked: readonly Asked[], answers: readonly Answer[]): Pairs<Asked, Answer> {
  if (asked.length !== answers.length) throw new Error(`${answers.length} answers to ${asked.length} questions`);
  return answers.map((answer, index) => [asked[index] as Asked, answer]);
}

/** Pairs every item with the same answer. */
export function pairAll<Asked, Answer>(asked: readonly Asked[], answer: Answer): Pairs<Asked, Answer> {
  return asked.map((each) => [each, answer]);
}

/** The rent of a new account on Solana. It falls in steps (SIMD-0437) and may rise again, so each endpoint is asked for it. */
export interface Rent {
  /** The rent as the endpoint shows it, within the bounds. */
  readonly shown: NanoCoins;
  /**
   * The highest rent that the clusters have had for an account of that size. It counts until a second endpoint shows the rent, because a
   * single one could otherwise hide spending, or use up a ceiling.
   */
  readonly highest: NanoCoins;
}

/**
 * Returns the rent that counts when two endpoints show one: the median of both and of the highest one. So no single endpoint lowers the
 * rent below that of the other one, and none raises it above the highest.
 */
export function commonRent(a: Rent, b: Rent): NanoCoins {
  const [, median = a.highest] = [a.shown, b.shown, a.highest].toSorted((x, y) => x - y);
  return median;
}
