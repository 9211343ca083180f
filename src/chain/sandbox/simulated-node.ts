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
