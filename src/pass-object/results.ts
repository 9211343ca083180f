import type { AuditEntry } from '../audit/entry.ts';
import type { Milliseconds, UnixSeconds } from '../lib/units.ts';
import type { HandedOver } from '../message/hand-over.ts';
import type { SignerName } from '../network/network.ts';
import type { Requested } from '../pass/audit-entries.ts';
import { isSettled } from '../pass/next-step.ts';
import {
  type AwaitedStep,
  awaitedStep,
  hasPendingLoss,
  type Pass,
  type PassQuestion,
  questionOf,
  stateOf,
} from '../pass/pass.ts';
import { endOf, recordOf } from '../pass/record.ts';
import {
  type AppliedChange,
  type ChangeRefusal,
  type ChangeResult,
  countsForSubject,
  type IssueRequest,
  type UpdateRequest,
} from '../pass/requests.ts';
import type { SubmittedStep } from '../pass/step.ts';
import { takesAccessAway } from '../pass/step-kinds.ts';
import type { SubjectChange } from '../pass/subject-changes.ts';
import { isExpired } from '../pass/verdict.ts';
import type { PassState } from '../pass/vocabulary.ts';
import type { Publication } from '../store/passes.ts';
import type { RestoredPass } from '../store/unsettled.ts';
import type { QuotaRefusal } from './daily-quota.ts';
import type { StoredPass } from './stored-pass.ts';

/** The results of the methods of a pass object. */

/** A change that the object has stored. */
export interface Accepted extends HandedOver {
  readonly type: 'accepted';
  readonly changed: boolean;
}

export type UpdateResult = Accepted | Exclude<ChangeResult, AppliedChange> | QuotaRefusal;

/** A change of all passes of a subject, which the object has stored as far as its pass follows. */
export type SubjectChangeResult = (Accepted & { readonly refused?: ChangeRefusal | undefined }) | QuotaRefusal;

/** How a pass counts for its subject. */
export interface Standing {
  /** Undefined: it has none. */
  readonly subject: string | undefined;
  readonly counts: boolean;
  /** Whether the chain still has a valid token. It counts too, until the chain has the change that ends it. */
  readonly isOnChain: boolean;
  /** Whether it never counts again. */
  readonly isFinal: boolean;
}

export const standingOf = (pass: Pass, now: UnixSeconds): Standing => ({
  subject: pass.subject,
  counts: countsForSubject(pass, now),
  isOnChain: pass.onChain.state === 'ACTIVE' && !isExpired(pass.onChain, now),
  isFinal: pass.revokedBy === 'partner',
});

/** A request by the object of a subject. The pass refuses one that arrives late, so that the subject knows when it can no longer arrive. */
interface Admitted {
  /** Unix milliseconds; undefined: no subject admits it. */
  readonly admittedUntil?: Milliseconds | undefined;
}

/** A partner's request. `waits`: it waits until the pass is settled. `hasRoom`: its shard accepts new passes. */
export type ReceivedIssueRequest = Omit<IssueRequest, 'id' | 'signer'> &
  Admitted & { readonly waits: boolean; readonly hasRoom?: boolean };
export type ReceivedUpdateRequest = UpdateRequest & Admitted;
export type ReceivedSubjectChange = Omit<SubjectChange, 'requestedAt'> & Admitted & { readonly at: Milliseconds };

/** A request that may change the pass. `waits`: it waits until the pass is settled. */
export type Received = Requested & { readonly waits?: boolean };

export const isLate = ({ admittedUntil = Number.POSITIVE_INFINITY }: Admitted) => Date.now() > admittedUntil;
export const LATE: QuotaRefusal = { type: 'refused', reason: 'temporarily_unavailable', retryAfter: 5 };

export type IssueResult =
  | UpdateResult
  | { readonly type: 'refused'; readonly reason: 'network_not_enabled' | 'shard_full' | 'sandbox_full' };

/** The result of a revocation by the operator. */
export type RevokeResult =
  | (Accepted & {
      /** The state before it; `NONE`: the wallet had no pass. */
      readonly before: PassState | 'NONE';
    })
  | { readonly type: 'kept'; readonly before: PassState }
  | { readonly type: 'refused'; readonly reason: 'network_not_enabled' };

/** A pass as far as it is published. */
interface PublishablePass {
  readonly publication: Publication;
  /** Whether D1 is known to have that publication. */
  readonly isPublished: boolean;
}

export interface PinResult extends PublishablePass {
  readonly signer: SignerName;
  /** The step to submit to the signer; undefined if there is none. */
  readonly step?: SubmittedStep | undefined;
  /** Ids of earlier steps that have left the chain. */
  readonly vanished: readonly string[];
  /** Whether nothing is left to do on chain. */
  readonly isSettled: boolean;
}

/** Entries for the audit trail, in order. */
interface EntriesToAppend {
  readonly entries: readonly AuditEntry[];
  /** Number of the newest one: the trail has all entries up to it once it has these. */
  readonly last: number;
}

export interface RecordResult extends PublishablePass {
  /** Whether a step ended and another one is due. */
  readonly needsStep: boolean;
  /** Whether these answers settled the pass. */
  readonly isSettled: boolean;
  /** The entries that the audit trail may lack, if these answers settled the pass. */
  readonly entriesToAppend?: EntriesToAppend | undefined;
}

/** A pass as returned to a request that waited for it. */
export interface AwaitedPass {
  readonly publication: Publication;
  /** Database bookmark at which a reader sees that publication. */
  readonly bookmark: string;
  /** False: this request was answered at once, because too many were waiting, or the pass has been unsettled for long. */
  readonly waited: boolean;
}

/** A pass as the reconciliation and the operator see it. */
export interface Inspection {
  readonly publication: Publication;
  readonly signer: SignerName;
  readonly question: PassQuestion;
  /** The step that the pass waits for. */
  readonly step?: AwaitedStep | undefined;
  readonly isSettled: boolean;
  /** How many alarms have fired since the last change. */
  readonly tries: number;
  /** Whether it lacked an alarm that it needs. It has one now. */
  readonly wasWithoutAlarm: boolean;
}

/** Returns the pass as the read model should have it. */
export function publicationOf({ pass, sent }: Pick<StoredPass, 'pass' | 'sent'>): Publication {
  const { id, key, version, feed } = pass;
  const events = feed.pending;
  // Claim no event that this publication does not carry: an object may store later ones in rows of their own.
  const eventsInFeed = events.at(-1)?.n ?? sent.eventsInFeed;
  const record = JSON.stringify(recordOf(pass));
  const validity = {
    onChainState: pass.onChain.state,
    until: endOf(pass),
    isPending: hasPendingLoss(pass),
    issuedBy: pass.issuedBy ?? null,
  };
  return { id, key, version, state: stateOf(pass), record, validity, events, eventsInFeed };
}

export function inspectionOf(stored: StoredPass): Omit<Inspection, 'wasWithoutAlarm'> {
  const { pass, tries } = stored;
  const [publication, step] = [publicationOf(stored), awaitedStep(pass)];
  return { publication, signer: pass.signer, question: questionOf(pass), step, isSettled: isSettled(pass), tries };
}

/** Returns the first entries that the trail may lack. */
export function entriesToAppend({ entries, sent }: StoredPass): EntriesToAppend {
  const pending = entries?.pending ?? [];
  return { entries: pending.map(({ entry }) => entry), last: pending.at(-1)?.n ?? sent.entriesInTrail };
}

/** Returns the pass as a restored database should have it. */
export function restoredPassOf(stored: StoredPass, now: UnixSeconds): RestoredPass {
  const publication = publicationOf(stored);
  const { contract } = stored.pass;
  return isSettled(stored.pass)
    ? { publication, contract, settledAt: now }
    : { publication, contract, listedSince: stored.listed?.since };
}

/** Whether something is left to do that takes access away. */
export function isUrgent(pass: Pass): boolean {
  return takesAccessAway(pass.wanted) && !isSettled(pass);
}

/**
 * Returns what the caller of the pass object must publish and enqueue. A settled pass that did not change is published
 * already, or its alarm will publish it. An unsettled pass is published again even if it did not change, because a partner's
 * repeated request is a reason to try again. The exceptions are a request after another one that has just published, and a look at the
 * chain that nobody requested.
 * @param asked `by-nobody`: no request led to it.
 */
export function acceptedOf(stored: StoredPass, changed: boolean, asked: 'first' | 'again' | 'by-nobody'): Accepted {
  const { pass } = stored;
  const ifUnchanged = { first: 'record-and-work', again: 'if-wait-fails', 'by-nobody': 'nothing' } as const;
  const work = changed ? 'record-and-work' : ifUnchanged[asked];
  const publish = isSettled(pass) ? (changed ? 'record' : 'nothing') : work;
  return { type: 'accepted', changed, publication: publicationOf(stored), publish, isUrgent: isUrgent(pass) };
}
