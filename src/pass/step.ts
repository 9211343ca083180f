import type { Milliseconds } from '../lib/brand.ts';
import type { OnChain, PassKey } from './pass.ts';
import type { Rank } from './rank.ts';
import type { StepKind, Task } from './task.ts';
import type { Change, WantedState } from './vocabulary.ts';

/** The change in the record that a step brings about. */
export const CHANGE_OF: Readonly<Record<StepKind, Change>> = {
  issue: 'TOKEN_ISSUED',
  'set-expiry': 'TOKEN_EXPIRY_CHANGED',
  freeze: 'TOKEN_FROZEN',
  unfreeze: 'TOKEN_UNFROZEN',
  revoke: 'TOKEN_REVOKED',
};

/** The state a step aims at; a change of the expiry leaves it as it is. */
export const STATE_AFTER: Readonly<Partial<Record<StepKind, WantedState>>> = {
  issue: 'ACTIVE',
  freeze: 'FROZEN',
  unfreeze: 'ACTIVE',
  revoke: 'REVOKED',
};

/** Whether what the task aims at is so. What was burned cannot be revoked any more than what was revoked. */
export function isSatisfied({ kind, expiry }: Task, { state, expiry: held }: OnChain): boolean {
  switch (kind) {
    case 'issue':
      return state !== 'NONE';
    case 'set-expiry':
      return (state === 'ACTIVE' || state === 'FROZEN') && held === expiry;
    case 'revoke':
      return state === 'REVOKED' || state === 'NONE';
    default:
      return state === STATE_AFTER[kind];
  }
}

/** One step of a pass, as its signer is asked to take it. */
export interface Step extends Task {
  /** `<pass id>:<n>`: the signer does the step of an id once, however often it is asked. */
  readonly id: string;
  readonly key: PassKey;
  readonly rank: Rank;
  /** OAuth client that requested it; undefined: an earlier release stored the request. */
  readonly client?: string | undefined;
  /** What is known of the token: what an older block shows is out of date, and of several tokens this one is meant. */
  readonly known?: OnChain | undefined;
}

/** A step as its pass object hands it out. */
export interface SubmittedStep extends Step {
  /** Something else is wanted by now: if nothing is signed for it yet, as far as signer and pass know, nothing shall be. */
  readonly superseded?: boolean;
  /** The newest revision that its pass has heard of: a signer whose store is empty goes on behind it. */
  readonly revision?: number;
  /** When it was pinned: a signer whose store began later may have signed for it in an earlier store. */
  readonly pinnedAt?: Milliseconds;
}

/** What the signer of a pass is asked: what became of it so far, and to take its step. */
export interface Submission {
  /** Id of the pass. */
  readonly pass: string;
  readonly step?: SubmittedStep | undefined;
  /** Ids of earlier steps that are off the chain, as far as the pass knows. */
  readonly vanished?: readonly string[];
}

/** The reason with which an abandoned issuance fails. */
export const ABANDONED = 'abandoned';

/** Where a step stands with its signer. */
export type StepStatus =
  /** Not sent. `noRoom`: the signer did not add the step, because its rank has no room in its lane. */
  | { readonly type: 'waiting'; readonly noRoom?: true | undefined }
  | { readonly type: 'sent'; readonly transaction: string }
  | {
      readonly type: 'confirmed';
      readonly transaction: string;
      readonly onChain: OnChain;
      /** An earlier step was not final when the chain was read: beside its own effect, nothing is told by what it showed. */
      readonly basedOnNonFinal?: boolean | undefined;
    }
  /** It was confirmed, and its block has left the chain: the same bytes are sent again. */
  | { readonly type: 'vanished'; readonly transaction: string }
  /** No transaction of ours: this is what the chain already holds. */
  | { readonly type: 'found'; readonly onChain: OnChain }
  /** Given up: superseded before anything was signed for it, or it left the chain and can never come back. */
  | { readonly type: 'withdrawn' }
  /** Refused for good. */
  | { readonly type: 'failed'; readonly reason: string };

/** What a signer says of a step. The revision grows with every new standing. */
export interface Answer {
  readonly step: string;
  readonly revision: number;
  readonly status: StepStatus;
}

/** Whether it is an outcome: the signer announces it until it is acknowledged. */
export function isOutcome({ status }: Answer): boolean {
  return status.type !== 'waiting' && status.type !== 'sent';
}

/** The id of a step of that pass. */
export function stepId(pass: string, number: number | string): string {
  return `${pass}:${number}`;
}

/** The ids of all steps of a pass, and of no others, lie between these two. */
export function stepIdRange(pass: string): readonly [after: string, before: string] {
  return [stepId(pass, ''), stepId(pass, ':')];
}

/** The pass that a step is of. */
export function passIdOf(step: string): string {
  return step.slice(0, step.lastIndexOf(':'));
}
