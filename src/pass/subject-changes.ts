import type { UnixSeconds } from '../lib/units.ts';
import type { Requester } from './audit-entries.ts';
import type { IssuerKey } from './next-step.ts';
import type { Pass } from './pass.ts';
import { applyChange, type ChangeRefusal, keepPass, requestRevocation, requestUpdate } from './requests.ts';
import type { WantedState } from './vocabulary.ts';

/** The rules of a gatekeeper network for the passes of a subject. An absent rule does not apply. */
export interface SubjectRules {
  /** Maximum number of passes of a subject that count, on all networks. */
  readonly subjectMaxPasses?: number | undefined;
  /** The same on each network. */
  readonly subjectMaxPassesPerNetwork?: number | undefined;
  /** Whether every issuance must name a subject. */
  readonly subjectRequired?: boolean | undefined;
}

/** A rule that forbids a further pass of a subject, and the first passes that count for it. */
export interface ReachedRule {
  readonly name: 'subjectMaxPasses' | 'subjectMaxPassesPerNetwork';
  readonly maximum: number;
  readonly passes: readonly {
    readonly chain: { readonly type: string; readonly network: string };
    readonly walletAddress: string;
  }[];
}

export interface RuleRefusal {
  readonly type: 'refused';
  readonly reason: 'subject_limit_reached';
  readonly rule: ReachedRule;
}

/** A change of all passes of a subject: of their state or of their expiry. */
export interface SubjectChange {
  readonly subject: string;
  /** It rises with each change of the subject. */
  readonly number: number;
  /** By the clock of the pass. */
  readonly requestedAt: UnixSeconds;
  readonly state?: WantedState | undefined;
  readonly expiry?: UnixSeconds | undefined;
  /** The network of the pass has ended, so the pass stays frozen, and only its hold ends. */
  readonly hasEnded?: boolean;
  /** OAuth client that requests it. */
  readonly client: string;
  readonly by: Requester;
}

/** The pass after a change of its subject. */
interface ChangedForSubject {
  readonly type: 'applied';
  readonly pass: Pass;
  readonly changed: boolean;
  /** Why the pass itself did not follow; undefined: it did, or had no need. */
  readonly refused?: ChangeRefusal | undefined;
}

/**
 * Returns the pass after a change of its subject. The hold and the change of the pass are one change, so no other request comes in between.
 * The end of a freeze unfreezes only a pass that the freeze has frozen. A renewal that is older than the newest one of the pass changes nothing. Pure.
 */
export function requestForSubject(
  pass: Pass,
  { subject, number, requestedAt, state, expiry, hasEnded, client, by }: SubjectChange,
  now: UnixSeconds,
  issuerKey: IssuerKey,
): ChangedForSubject {
  if (pass.subject !== subject) return { ...keepPass(pass), refused: 'subject_differs' };
  const { wanted, rejected, renewedAt = 0 } = pass;
  const known = pass.hold ?? { state: 'ACTIVE', number: 0 };
  if (state !== undefined && number <= known.number) return keepPass(pass);
  const isOpen = wanted.state !== 'REVOKED' && !rejected;
  const update = (from: Pass, change: Pick<SubjectChange, 'state' | 'expiry'>): ChangedForSubject => {
    const result = requestUpdate(from, { ...change, client, by, via: subject, at: requestedAt }, now, issuerKey);
    if (result.type === 'applied') return { ...result, changed: result.pass !== pass };
    // The pass follows its subject, so it never asks for that.
    const refused = result.reason === 'of_subject' ? 'subject_differs' : result.reason;
    return { ...keepPass(from), changed: from !== pass, refused };
  };
  switch (state) {
    case 'REVOKED':
      return applyChange({ ...requestRevocation(pass, { client, by }, now).pass, hold: { state, number } });
    case 'FROZEN': {
      const held = { ...pass, hold: { ...known, state, number } };
      if (!isOpen || wanted.state === 'FROZEN') return applyChange(held);
      const frozen = update(held, { state });
      const froze = frozen.refused === undefined ? true : undefined;
      return { ...frozen, pass: { ...frozen.pass, hold: { state, number, froze } } };
    }
    case 'ACTIVE': {
      const free = { ...pass, hold: { state, number } };
      return known.froze && !hasEnded && wanted.state === 'FROZEN' ? update(free, { state }) : applyChange(free);
    }
    case undefined:
      return isOpen && requestedAt >= renewedAt ? update(pass, { expiry }) : keepPass(pass);
  }
}
