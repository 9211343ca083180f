import type { OnChain } from '../pass/pass.ts';
import type { Step } from '../pass/step.ts';

/**
 * What a signer object needs of a chain. An adapter keeps nothing: what must survive, the signer stores and hands in
 * again. Every method reads or sends for many steps at once and throws RpcFault when the nodes do not answer.
 */
export interface ChainPort {
  /** What the chain holds for these steps, and whether their calls would succeed now. */
  look(steps: readonly Step[]): Promise<Look>;
  /** Signs a call that `look` found ready. Sends nothing. */
  sign(call: Call, terms: Terms, nonce: number | undefined): Promise<Signed>;
  /** Hands signed bytes to the nodes; one answer per transaction, in order. */
  broadcast(signed: readonly Signed[]): Promise<Delivery[]>;
  /** What became of transactions in flight; one sighting each, in order. */
  track(flights: readonly Flight[]): Promise<Sighting[]>;
}

export interface Look {
  readonly findings: readonly Finding[];
  readonly terms: Terms;
}

export type Finding =
  /** The wallet has a token already, or what the step aims at holds. */
  | { readonly is: 'found'; readonly onChain: OnChain }
  | { readonly is: 'ready'; readonly call: Call }
  /** Not now; what it keeps waiting says for whom. Resumes by itself. */
  | { readonly is: 'not-now'; readonly why: string; readonly keeps: 'step' | 'gatekeeper-network' | 'signer' }
  /** Never: the reason is for the partner. */
  | { readonly is: 'refused'; readonly reason: string };

/** A call of the gateway, as its adapter understands it; JSON. */
export type Call = Readonly<Record<string, string>>;

/** What signing needs to know of the moment: fees and, on Ethereum, where the account's nonces stand. */
export interface Terms {
  readonly fees: Readonly<Record<string, string>>;
  readonly nonces?: { readonly latest: number; readonly pending: number };
}

/** A signed transaction. The bytes are kept until it is final: the same ones go out again. */
export interface Signed {
  readonly identifier: string;
  readonly bytes: string;
}

export type Delivery =
  /** A node has it (or had it before). */
  | { readonly is: 'accepted' }
  /** The account cannot pay: nothing of this signer can go out. */
  | { readonly is: 'no-funds' }
  /** Not taken, and the reason does not say that it never will be. */
  | { readonly is: 'refused'; readonly why: string };

export interface Flight {
  readonly step: Step;
  /** All that were ever signed for the step: any of them may be the one. */
  readonly identifiers: readonly string[];
  /** Where it was seen before. */
  readonly place?: BlockReference | undefined;
}

/** The block that holds a transaction; JSON. */
export interface BlockReference {
  readonly block: number;
  readonly hash: string;
}

export type Sighting =
  /** In no block, or not deep enough in one; of a transaction that was in one: that block has left the chain. */
  | { readonly is: 'unconfirmed' }
  | { readonly is: 'confirmed'; readonly identifier: string; readonly place: BlockReference; readonly onChain: OnChain }
  /** Still where it was confirmed, not final yet. */
  | { readonly is: 'standing' }
  /** In a block for good, without the effect of the step: reverted, or no contract answered. */
  | { readonly is: 'without-effect'; readonly identifier: string }
  /** Confirmed, and deep enough never to leave the chain. */
  | { readonly is: 'final' };

/** The nodes gave no usable answer: worth another try later. Says nothing of the endpoint, which may carry a key. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault';
}
