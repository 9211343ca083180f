import type { UnixSeconds } from '../lib/brand.ts';
import { adopt } from './adopt.ts';
import { appendEvents } from './append-events.ts';
import { hasValidToken, type OnChain, type Pass, type PassEvent, type PinnedStep, type Transaction } from './pass.ts';
import { appendPastStep, recordPastAnswer } from './reorg.ts';
import { ABANDONED, type Answer, CHANGE_OF, isSatisfied, STATE_AFTER, type StepStatus } from './step.ts';

/**
 * The pass after its signer's answer. An answer about a step that is not known, or one that is not newer than what was
 * recorded, changes nothing: the same object comes back. `now` in Unix seconds.
 */
export function recordAnswer(pass: Pass, answer: Answer, now: UnixSeconds): Pass {
  const { step: id, revision, status } = answer;
  const past = pass.past?.find((each) => each.id === id);
  if (past !== undefined) return revision <= past.revision ? pass : recordPastAnswer(pass, past, answer, now);
  const { step } = pass;
  if (step?.id !== id) return pass;
  if (revision === 0 && step.revision === 0) return recordNotAdded(pass, step, status);
  if (revision <= step.revision) return pass;
  switch (status.type) {
    case 'waiting':
      return { ...pass, step: { ...step, revision, held: true } };
    case 'sent':
    // That it was confirmed meanwhile was never told.
    case 'vanished': {
      const held = { ...pass, step: { ...step, revision, held: true } };
      return appendEvents(setTransaction(held, step, { identifier: status.transaction, status: 'sent' }), now);
    }
    case 'confirmed':
      return recordConfirmed(pass, step, revision, status, now);
    case 'found':
      // Who looked did not see what is known by now.
      if ((status.onChain.asOf ?? 0) < (pass.onChain.asOf ?? 0))
        return appendEvents(endStep(failTransaction(pass, step)), now);
      return adopt(endStep(failTransaction(pass, step)), status.onChain, now, step);
    case 'withdrawn':
      return appendEvents(endStep(failTransaction(pass, step)), now);
    case 'failed':
      return recordFailed(endStep(failTransaction(pass, step)), step, status.reason, now);
  }
}

/** Records that the signer did not add the step. If its lane had no room, the pass submits the step again soon. */
function recordNotAdded(pass: Pass, step: PinnedStep, status: StepStatus): Pass {
  const held = !(status.type === 'waiting' && status.noRoom);
  return held === step.held ? pass : { ...pass, step: { ...step, held } };
}

/**
 * Its transaction did what it should. What else the chain shows then was the doing of others, which the look that led to
 * it had seen.
 */
function recordConfirmed(
  pass: Pass,
  step: PinnedStep,
  revision: number,
  { transaction: identifier, onChain, basedOnNonFinal }: Extract<StepStatus, { type: 'confirmed' }>,
  now: UnixSeconds,
): Pass {
  const transaction: Transaction = { identifier, status: 'confirmed' };
  const done = endStep(setTransaction(pass, step, transaction));
  // Where a wallet has several tokens, another one may still be as this one was: the next step goes on with it.
  if (!isSatisfied(step, onChain))
    return appendEvents({ ...done, onChain: { ...pass.onChain, asOf: onChain.asOf } }, now);
  const { onChain: before } = pass;
  const after = applyEffect(before, step, onChain);
  const { id, kind, expiry } = step;
  const past = appendPastStep(pass.past, { id, kind, expiry, revision, transaction: identifier, before, after });
  const revokedBy = kind === 'revoke' ? 'partner' : done.revokedBy;
  const known = { ...done, past, onChain: after, revokedBy };
  return adopt(known, basedOnNonFinal ? { ...after, asOf: onChain.asOf } : onChain, now, undefined, [
    { eventType: CHANGE_OF[step.kind], timestamp: now, transaction },
  ]);
}

/** What was known, and what the step has changed of it. */
function applyEffect(known: OnChain, { kind }: PinnedStep, after: OnChain): OnChain {
  if (kind === 'issue') return after;
  return kind === 'set-expiry' ? { ...known, expiry: after.expiry } : { ...known, state: after.state };
}

/** Refused for good: where what is wanted is still what the step aimed at, it falls back to what the chain holds. */
function recordFailed(pass: Pass, step: PinnedStep, reason: string, now: UnixSeconds): Pass {
  const transaction = initiatedEventOf(pass, step)?.transaction;
  return appendEvents(fallBackToChain(pass, step, reason), now, {
    eventType: `${CHANGE_OF[step.kind]}_FAILED`,
    timestamp: now,
    reason,
    ...(transaction ? { transaction } : {}),
  });
}

function fallBackToChain(pass: Pass, { kind, expiry }: PinnedStep, reason: string): Pass {
  const { wanted, onChain } = pass;
  switch (kind) {
    case 'issue': {
      // An abandoned issuance is not tried again with another expiry.
      const isWanted = wanted.state !== 'REVOKED' && (wanted.expiry === expiry || reason === ABANDONED);
      // What is not there cannot be frozen either.
      return isWanted ? { ...pass, rejected: true, wanted: { state: 'ACTIVE', expiry }, askedExpiry: expiry } : pass;
    }
    case 'set-expiry':
      return wanted.expiry === expiry ? { ...pass, wanted: { ...wanted, expiry: onChain.expiry } } : pass;
    default:
      if (wanted.state !== STATE_AFTER[kind]) return pass;
      // Nothing that is known can be revoked: the pass follows the chain, and a partner may ask again.
      if (kind === 'revoke' && !hasValidToken(onChain)) return { ...pass, revokedBy: 'others' };
      if (onChain.state === 'NONE') return pass;
      // Who revokes wishes for nothing else.
      return { ...pass, wanted: { state: onChain.state, expiry: kind === 'revoke' ? onChain.expiry : wanted.expiry } };
  }
}

function endStep(pass: Pass): Pass {
  return { ...pass, step: undefined };
}

/** The event that began the step. */
function initiatedEventOf(pass: Pass, { kind }: PinnedStep): PassEvent | undefined {
  return pass.events.findLast(({ eventType }) => eventType === `${CHANGE_OF[kind]}_INITIATED`);
}

/** Puts the transaction on the event that began the step; a newer one overwrites it. */
function setTransaction(pass: Pass, step: PinnedStep, transaction: Transaction): Pass {
  const began = initiatedEventOf(pass, step);
  return { ...pass, events: pass.events.map((each) => (each === began ? { ...each, transaction } : each)) };
}

/** A transaction that was sent for a step which ended otherwise did not bring it about. */
function failTransaction(pass: Pass, step: PinnedStep): Pass {
  const sent = initiatedEventOf(pass, step)?.transaction;
  return sent === undefined ? pass : setTransaction(pass, step, { ...sent, status: 'failed' });
}
