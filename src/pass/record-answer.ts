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
      return foundOnChain(end(withoutEffect(pass, step), step, revision), step, standing.onChain, now);
    case 'failed':
      return withdrawn(end(withoutEffect(pass, step), step, revision), step, standing.reason, now);
  }
}

/**
 * What the chain shows and no step of ours caused is both true and wanted; only a wish that came after a step whose aim
 * holds goes on.
 */
function foundOnChain(pass: Pass, step: PinnedStep, onChain: OnChain, now: number): Pass {
  const change = CHANGE_OF[step.kind];
  if (step.kind !== 'issue' && onChain.state === 'ACTIVE' && onChain.expiry === step.expiry) {
    return changed({ ...pass, onChain }, event(change, now));
  }
  // A token that is gone was burned: that is final too.
  const state = onChain.state === 'NONE' ? 'REVOKED' : onChain.state;
  const outcome = step.kind === 'issue' ? event(change, now) : event(`${change}_FAILED`, now, { reason: 'superseded' });
  const into = CHANGE_TO[state];
  const found = { ...pass, onChain, wanted: { state, expiry: onChain.expiry } };
  return changed(found, outcome, ...(into ? [event(into, now)] : []));
}

const CHANGE_TO: Partial<Record<WantedState, Change>> = { FROZEN: 'TOKEN_FROZEN', REVOKED: 'TOKEN_REVOKED' };

/** Refused for good: where what is wanted is still what the step aimed at, it falls back to what the chain holds. */
function withdrawn(pass: Pass, step: PinnedStep, reason: string, now: number): Pass {
  const stillWanted = pass.wanted.expiry === step.expiry;
  const fallen =
    step.kind === 'issue'
      ? { ...pass, rejected: stillWanted }
      : { ...pass, wanted: stillWanted ? { ...pass.wanted, expiry: pass.onChain.expiry } : pass.wanted };
  const transaction = beganWith(pass, step)?.transaction;
  return changed(
    fallen,
    event(`${CHANGE_OF[step.kind]}_FAILED`, now, { reason, ...(transaction ? { transaction } : {}) }),
  );
}

function end(pass: Pass, step: PinnedStep, revision: number): Pass {
  return { ...pass, step: undefined, ended: { id: step.id, revision } };
}

/** The event that began the step. */
function beganWith(pass: Pass, { kind }: PinnedStep): PassEvent | undefined {
  return pass.events.findLast(({ eventType }) => eventType === `${CHANGE_OF[kind]}_INITIATED`);
}

/** Puts the transaction on the event that began the step; a newer one overwrites it. */
function withTransaction(pass: Pass, step: PinnedStep, transaction: Transaction): Pass {
  const began = beganWith(pass, step);
  return { ...pass, events: pass.events.map((each) => (each === began ? { ...each, transaction } : each)) };
}

/** A transaction that was sent for a step which ended otherwise did not bring it about. */
function withoutEffect(pass: Pass, step: PinnedStep): Pass {
  const sent = beganWith(pass, step)?.transaction;
  return sent === undefined ? pass : withTransaction(pass, step, { ...sent, status: 'failed' });
}

function event(
  eventType: EventType,
  timestamp: number,
  detail: Pick<PassEvent, 'transaction' | 'reason'> = {},
): PassEvent {
  return { eventType, timestamp, ...detail };
}
