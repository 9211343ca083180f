import type { SignerName } from '../network/signer-name.ts';
import type { ChangeRefusal } from '../pass/change-result.ts';
import type { AwaitedStep, OnChain } from '../pass/pass.ts';
import type { SubmittedStep } from '../pass/step.ts';
import type { Publication } from '../store/passes.ts';
import type { QuotaRefusal } from './daily-quota.ts';

/** The results of the methods of a pass object. */

/** A partner's change that the object has stored. */
export interface Accepted {
  readonly type: 'accepted';
  readonly publication: Publication;
  readonly publish: Publishing;
}

/** The work of the caller after an accepted change. The object's alarm does the same later. */
export type Publishing =
  /** The read model has the change, and nothing is left to do on chain. */
  | 'nothing'
  /** Another request has just published, and this one waits with it: do `record-and-work` only if the wait fails. */
  | 'if-wait-fails'
  /** Publish the record: nothing is left to do on chain. */
  | 'record'
  /** Publish the record, and enqueue the remaining work. */
  | 'record-and-work';

export type UpdateResult = Accepted | { readonly type: 'refused'; readonly reason: ChangeRefusal } | QuotaRefusal;

export type IssueResult =
  | UpdateResult
  | { readonly type: 'refused'; readonly reason: 'network_not_enabled' | 'shard_full' };

/** The result of adopting a reading of the chain. */
export interface AdoptResult extends Accepted {
  readonly changed: boolean;
}

export interface PinResult {
  readonly signer: SignerName;
  /** The step to submit to the signer; undefined if there is none. */
  readonly step?: SubmittedStep | undefined;
  /** Ids of earlier steps that have left the chain. */
  readonly vanished: readonly string[];
  readonly publication: Publication;
  /** Whether the read model is known to have that publication. */
  readonly isPublished?: boolean;
  /** Whether nothing is left to do but to publish. Absent: an object of an earlier release. */
  readonly onlyPublish?: boolean;
}

export interface RecordResult {
  readonly publication: Publication;
  /** Whether the read model is known to have that publication. */
  readonly isPublished?: boolean;
  /** Whether a step ended and another one is due. */
  readonly needsStep: boolean;
  /** Whether these answers settled the pass. */
  readonly isSettled: boolean;
}

/** A pass as the reconciliation and the operator see it. */
export interface Inspection {
  readonly publication: Publication;
  readonly signer: SignerName;
  readonly onChain: OnChain;
  /** The step that the pass waits for. */
  readonly step?: AwaitedStep | undefined;
  readonly isSettled: boolean;
  /** How many alarms have fired since the last change. */
  readonly tries: number;
  /** Whether it lacked an alarm that it needs. It has one now. */
  readonly wasWithoutAlarm: boolean;
}
