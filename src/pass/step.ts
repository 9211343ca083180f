import type { Milliseconds } from '../lib/units.ts';
import { hasValidToken, type OnChain, type PassKey } from './pass.ts';
import { type Rank, STEP_KINDS, type Task } from './step-kinds.ts';

/** Whether the on-chain state fulfills the task. A burned token counts as revoked. */
export function isSatisfied({ kind, expiry }: Task, onChain: OnChain): boolean {
  switch (kind) {
    case 'issue':
      return onChain.state !== 'NONE';
    case 'set-expiry':
      return hasValidToken(onChain) && onChain.expiry === expiry;
    case 'revoke':
      return !hasValidToken(onChain);
    case 'freeze':
    case 'unfreeze':
      return onChain.state === STEP_KINDS[kind].stateAfter;
  }
}

/** One step of a pass, as its signer stores it. */
export interface Step extends Task {
  /** `<pass id>:<n>`. The signer does the step with an id once, even if it is submitted several times. */
  readonly id: string;
  readonly key: PassKey;
  /** The contract of its pass. On Solana, the signer calls the program of the network. */
  readonly contract: string;
  readonly rank: Rank;
  /** OAuth client that requested it; undefined: nobody, because the step only asks for its cost. */
  readonly client?: string | undefined;
  /** Known on-chain state of the token. The signer ignores older blocks. Of several tokens, the step changes this one. */
  readonly known?: OnChain | undefined;
}

/** A step as its pass object submits it. */
export interface SubmittedStep extends Step {
  /** Whether another step is wanted by now. The signer then withdraws this one, unless it may have signed bytes. */
  readonly superseded?: boolean;
  /** The newest revision that its pass has recorded. A signer with an empty store continues after it. */
  readonly revision?: number;
  /** When it was pinned. A signer whose store began later may have signed for it in an earlier store. */
  readonly pinnedAt?: Milliseconds;
}

/** A request to the signer of a pass: add the step, and return the outcomes of the pass. */
export interface Submission {
  /** Id of the pass. */
  readonly pass: string;
  readonly step?: SubmittedStep | undefined;
  /** Ids of earlier steps that are off the chain, as far as the pass knows. */
  readonly vanished?: readonly string[];
}

/** The reason with which an abandoned issuance fails. */
export const ABANDONED = 'abandoned';

/** Status of a step at its signer. */
export type StepStatus =
  /** Not sent. `noRoom`: the signer did not add the step, because its rank has no room in its lane. */
  | { readonly type: 'waiting'; readonly noRoom?: true | undefined }
  | { readonly type: 'sent'; readonly transaction: string }
  | {
      readonly type: 'confirmed';
      readonly transaction: string;
      readonly onChain: OnChain;
      /** Whether an earlier step was not final when the chain was read. Then only the effect of this step is certain. */
      readonly basedOnNonFinal?: boolean | undefined;
    }
  /** It was confirmed, and its block has left the chain. The signer sends the same bytes again. */
  | { readonly type: 'vanished'; readonly transaction: string }
  /** No transaction was needed or possible: the chain already holds this state. */
  | { readonly type: 'found'; readonly onChain: OnChain }
  /** Given up: it was superseded before it was signed, or its transaction left the chain and can never come back. */
  | { readonly type: 'withdrawn' }
  /** Refused permanently. */
  | { readonly type: 'failed'; readonly reason: string };

/** A signer's answer about a step. The revision grows with every new status. */
export interface Answer {
  readonly step: string;
  readonly revision: number;
  readonly status: StepStatus;
}

/** Whether the answer is an outcome. The signer announces an outcome until it is acknowledged. */
export function isOutcome({ status }: Answer): boolean {
  return status.type !== 'waiting' && status.type !== 'sent';
}

/** Returns the id of a step of the pass. */
export function stepId(pass: string, number: number | string): string {
  return `${pass}:${number}`;
}

/** Returns two texts. The ids of all steps of the pass, and no other ids, lie between them. */
export function stepIdRange(pass: string): readonly [after: string, before: string] {
  return [stepId(pass, ''), stepId(pass, ':')];
}

/** Returns the id of the pass of a step. */
export function passIdOf(step: string): string {
  return step.slice(0, step.lastIndexOf(':'));
}
