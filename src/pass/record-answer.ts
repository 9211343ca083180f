import type { UnixSeconds } from '../lib/brand.ts';
import { parseSignerName } from '../network/signer-name.ts';
import { adopt } from './adopt.ts';
import { appendEvents, initiatedEventOf } from './append-events.ts';
import { hasValidToken, type OnChain, type Pass, type PinnedStep, renews, type Transaction } from './pass.ts';
import { appendPastStep, recordPastAnswer } from './reorg.ts';
import { ABANDONED, type Answer, isSatisfied, type StepStatus } from './step.ts';
import { STEP_KINDS } from './step-kinds.ts';

/**
 * Returns the pass after its signer's answer. An answer about an unknown step, or one that is not newer than the recorded
 * one, changes nothing: the same object is returned. `now` in Unix seconds.
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
      return { ...pass, step: { ...step, revision, isSubmitted: true } };
    case 'sent':
    // The pass never received the confirmation before the reorg, so the step counts as sent.
    case 'vanished': {
      const submitted = { ...pass, step: { ...step, revision, isSubmitted: true } };
      return appendEvents(setTransaction(submitted, step, { identifier: status.transaction, status: 'sent' }), now);
    }
    case 'confirmed':
      return recordConfirmed(pass, step, revision, status, now);
    case 'found':
      // The reading is older than the known state, so it is not adopted.
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
  const isSubmitted = !(status.type === 'waiting' && status.noRoom);
  return isSubmitted === step.isSubmitted ? pass : { ...pass, step: { ...step, isSubmitted } };
}

/**
 * Records that the transaction of the step had its effect. Any other difference on chain is a change by others, which
 * `prepare` had read before the signature.
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
  const { onChain: before } = pass;
  const { id, kind, expiry } = step;
  const past = { id, kind, expiry, revision, transaction: identifier, before };
  // If a wallet has several tokens, another one may still need the same change: the next step continues with it.
  if (!isSatisfied(step, onChain)) {
    const after = { ...before, asOf: onChain.asOf };
    const partial = appendPastStep(pass.past, { ...past, after, isPartial: true });
    return appendEvents({ ...done, past: partial, onChain: after }, now);
  }
  const after = applyEffect(before, step, onChain);
  const renewal = kind === 'set-expiry' && renews(before, after, now) ? ({ renews: true } as const) : {};
  const revokedBy = kind === 'revoke' ? 'partner' : done.revokedBy;
  const issuedBy = kind === 'issue' ? parseSignerName(pass.signer).address : pass.issuedBy;
  const steps = appendPastStep(pass.past, { ...past, after, ...renewal });
  const known = { ...done, past: steps, onChain: after, issuedBy, revokedBy };
  return adopt(known, basedOnNonFinal ? { ...after, asOf: onChain.asOf } : onChain, now, undefined, [
    { eventType: STEP_KINDS[step.kind].change, timestamp: now, transaction },
  ]);
}

/** Returns the known state with the effect of the step. */
function applyEffect(known: OnChain, { kind }: PinnedStep, after: OnChain): OnChain {
  if (kind === 'issue') return after;
  return kind === 'set-expiry' ? { ...known, expiry: after.expiry } : { ...known, state: after.state };
}

/** Records a permanent refusal. If the effect of the step is still wanted, the wanted state falls back to the on-chain state. */
function recordFailed(pass: Pass, step: PinnedStep, reason: string, now: UnixSeconds): Pass {
  const transaction = initiatedEventOf(pass.events, STEP_KINDS[step.kind].change)?.transaction;
  return appendEvents(fallBackToChain(pass, step, reason), now, {
    eventType: `${STEP_KINDS[step.kind].change}_FAILED`,
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
      // A pass without a token cannot be frozen, so the wanted state is ACTIVE.
      return isWanted ? { ...pass, rejected: true, wanted: { ...wanted, expiry, state: 'ACTIVE' } } : pass;
    }
    case 'set-expiry':
      return wanted.expiry === expiry ? { ...pass, wanted: { ...wanted, expiry: onChain.expiry } } : pass;
    case 'freeze':
    case 'unfreeze':
    case 'revoke':
      if (wanted.state !== STEP_KINDS[kind].stateAfter) return pass;
      // No known token can be revoked: the pass follows the chain, and a partner may request the revocation again.
      if (kind === 'revoke' && !hasValidToken(onChain)) return { ...pass, revokedBy: 'others' };
      if (onChain.state === 'NONE') return pass;
      // A revocation replaced any other wanted expiry with that of the chain.
      return {
        ...pass,
        wanted: { ...wanted, ...(kind === 'revoke' && { expiry: onChain.expiry }), state: onChain.state },
      };
  }
}

function endStep(pass: Pass): Pass {
  return { ...pass, step: undefined };
}

/** Stores the transaction in the event that began the step. A newer transaction overwrites an older one. */
function setTransaction(pass: Pass, step: PinnedStep, transaction: Transaction): Pass {
  const began = initiatedEventOf(pass.events, STEP_KINDS[step.kind].change);
  return { ...pass, events: pass.events.map((each) => (each === began ? { ...each, transaction } : each)) };
}

/** Marks the sent transaction of a step as failed, because the step ended without it. */
function failTransaction(pass: Pass, step: PinnedStep): Pass {
  const sent = initiatedEventOf(pass.events, STEP_KINDS[step.kind].change)?.transaction;
  return sent === undefined ? pass : setTransaction(pass, step, { ...sent, status: 'failed' });
}
