import { encodeBase58 } from '../../lib/base58.ts';
import { bytesToHex } from '../../lib/hex.ts';
import { keccak256 } from '../../lib/keccak.ts';
import type { Chain } from '../../network/network.ts';
import type { Observation } from '../../pass/adopt.ts';
import type { OnChain } from '../../pass/pass.ts';
import type { Step } from '../../pass/step.ts';
import type {
  Account,
  BroadcastResult,
  FinalNonce,
  InclusionStatus,
  InFlightTransaction,
  Lifetime,
  Nonces,
  PrepareResult,
  Question,
  Reading,
  ReadyCall,
  Signed,
} from '../port.ts';

/** The part of a chain port that the object of a sandbox answers: plain data, one answer for each item, in order. */
export interface SimulatedNode {
  prepare(steps: readonly Step[]): SimulatedPreparation;
  read(questions: readonly Question[]): Reading[];
  observe(questions: readonly Question[]): Observation[];
  broadcast(transactions: readonly Pick<Signed, 'identifier' | 'bytes'>[]): BroadcastResult[];
  track(transactions: readonly Tracked[]): InclusionStatus[];
  account(): Account;
  finalNonce(): FinalNonce | undefined;
}

export type Tracked = Omit<InFlightTransaction, 'step' | 'signedAtMs'>;

export interface SimulatedPreparation {
  readonly results: SimulatedResult[];
  readonly nonces?: Nonces;
  readonly lifetime?: Lifetime;
}

/** The result of a preparation without its functions. */
export type SimulatedResult = Exclude<PrepareResult, ReadyCall> | SimulatedCall;

export interface SimulatedCall {
  readonly type: 'ready';
  readonly call: string;
  readonly expectedOnChain: OnChain;
}

/** A question to the simulated node of a network. */
export type NodeMethod = keyof SimulatedNode;
export type Asked<M extends NodeMethod> = Parameters<SimulatedNode[M]>;
export type Answered<M extends NodeMethod> = ReturnType<SimulatedNode[M]>;

/** The object of a sandbox, as its adapter calls it. */
export interface SandboxNodes {
  ask<M extends NodeMethod>(
    network: { readonly chain: Chain; readonly network: string },
    method: M,
    asked: Asked<M>,
  ): Promise<Answered<M>>;
}

/** The content of a simulated transaction. A real chain has signed bytes in place of its JSON. */
export interface SimulatedTransaction {
  readonly network: string;
  /** The call as `prepare` returned it; empty: it only uses its nonce. */
  readonly call: string;
  readonly nonce?: number | undefined;
  readonly blockhash?: string | undefined;
  readonly lastBlock?: number | undefined;
}

/** Returns the signed transaction. As on the real chains, the same content has the same identifier. */
export function signSimulated(
  chain: Chain,
  network: string,
  call: string,
  nonce: number | undefined,
  lifetime?: Lifetime | undefined,
): Signed {
  const { blockhash, lastValidBlockHeight: lastBlock } = lifetime ?? {};
  const bytes = JSON.stringify({ network, call, nonce, blockhash, lastBlock } satisfies SimulatedTransaction);
  return { identifier: identifierOf(chain, bytes), bytes, maxCost: 0, lastValidBlockHeight: lastBlock };
}

/** Returns a hash of the text in the form of the chain: 32 bytes in hexadecimal digits, or 64 bytes in base58. */
export function identifierOf(chain: Chain, text: string): string {
  const hash = hashOf(text);
  return chain === 'ethereum' ? bytesToHex(hash) : encodeBase58(new Uint8Array([...hash, ...keccak256(hash)]));
}

export const hashOf = (text: string): Uint8Array => keccak256(new TextEncoder().encode(text));
