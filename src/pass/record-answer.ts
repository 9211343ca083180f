import { changed } from './change.ts';
import type { OnChain, Pass, PassEvent, PinnedStep, Transaction } from './pass.ts';
import { type Answer, CHANGE_OF } from './step.ts';
import type { Change, EventType, WantedState } from './vocabulary.ts';

/**
 * The pass after its signer's answer. An answer about another step, or one that is not newer than what was recorded,
 * changes nothing: the same object comes back. `now` in Unix seconds.
 */
export function recordAnswer(pass: Pass, { step: id, revision, standing }: Answer, now: number): Pass {
  const { step } = pass;
  if (step?.id !== id || revision <= step.revision) return pass;
  switch (standing.at) {
    case 'waiting':
      return { ...pass, step: { ...step, revision, held: true } };
    case 'sent': {
      const held = { ...pass, step: { ...step, revision, held: true } };
      return changed(withTransaction(held, step, { identifier: standing.transaction, status: 'sent' }));
    }
    case 'confirmed': {
      const transaction: Transaction = { identifier: standing.transaction, status: 'confirmed' };
      const done = { ...end(withTransaction(pass, step, transaction), step, revision), onChain: standing.onChain };
      return changed(done, event(CHANGE_OF[step.kind], now, { transaction }));
    }
    case 'found':
      return foundOnChain(end(pass, step, revision), step, standing.onChain, now);
    case 'failed':
      return withdrawn(pass, step, { revision, ...standing }, now);
  }
}

/** What the chain shows and no step of ours caused is both true and wanted. */
function foundOnChain(pass: Pass, step: PinnedStep, onChain: OnChain, now: number): Pass {
  // A token that is gone was burned: that is final too.
  const wanted = { state: onChain.state === 'NONE' ? 'REVOKED' : onChain.state, expiry: onChain.expiry } as const;
  const change = CHANGE_OF[step.kind];
  const aimHolds = step.kind === 'issue' || (onChain.state === 'ACTIVE' && onChain.expiry === step.expiry);
  const outcome = aimHolds ? event(change, now) : event(`${change}_FAILED`, now, { reason: 'superseded' });
  const into = CHANGE_TO[wanted.state];
  return changed({ ...pass, wanted, onChain }, outcome, ...(into ? [event(into, now)] : []));
}

const CHANGE_TO: Partial<Record<WantedState, Change>> = { FROZEN: 'TOKEN_FROZEN', REVOKED: 'TOKEN_REVOKED' };

/** Refused for good: where what is wanted is still what the step aimed at, it falls back to what the chain holds. */
function withdrawn(
  pass: Pass,
  step: PinnedStep,
  refusal: { revision: number; reason: string; transaction?: string | undefined },
  now: number,
): Pass {
  const transaction = refusal.transaction && ({ identifier: refusal.transaction, status: 'failed' } as const);
  const ended = end(transaction ? withTransaction(pass, step, transaction) : pass, step, refusal.revision);
  const stillWanted = pass.wanted.expiry === step.expiry;
  const fallen =
    step.kind === 'issue'
      ? { ...ended, rejected: true }
      : { ...ended, wanted: stillWanted ? { ...pass.wanted, expiry: pass.onChain.expiry } : pass.wanted };
  const detail = { reason: refusal.reason, ...(transaction ? { transaction } : {}) };
  return changed(fallen, event(`${CHANGE_OF[step.kind]}_FAILED`, now, detail));
}

function end(pass: Pass, step: PinnedStep, revision: number): Pass {
  return { ...pass, step: undefined, ended: { id: step.id, revision } };
}

/** Puts the transaction on the event that began the step; a newer one overwrites it. */
function withTransaction(pass: Pass, step: PinnedStep, transaction: Transaction): Pass {
  const began: EventType = `${CHANGE_OF[step.kind]}_INITIATED`;
  const at = pass.events.findLastIndex(({ eventType }) => eventType === began);
  return { ...pass, events: pass.events.map((each, index) => (index === at ? { ...each, transaction } : each)) };
}

function event(
  eventType: EventType,
  timestamp: number,
  detail: Pick<PassEvent, 'transaction' | 'reason'> = {},
): PassEvent {
  return { eventType, timestamp, ...detail };
}
