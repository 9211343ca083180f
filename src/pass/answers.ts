import type { UnixSeconds } from '../lib/units.ts';
import { parseSignerName } from '../network/network.ts';
import { adopt } from './adopt.ts';
import { appendEvents, initiatedEventOf } from './events.ts';
import {
  differsOnChain,
  hasValidToken,
  type OnChain,
  type Pass,
  type PassEvent,
  type PastStep,
  type PinnedStep,
  renews,
  type Transaction,
} from './pass.ts';
import { ABANDONED, type Answer, isSatisfied, type StepStatus } from './step.ts';
import { STEP_KINDS, type Task } from './step-kinds.ts';
import type { TransactionStatus } from './vocabulary.ts';

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

/** Maximum number of past steps in a pass. The signer rebroadcasts reorged transactions of older steps all the same. */
const MAX_PAST_STEPS = 16;

/** Returns the past with one more step. */
function appendPastStep(past: readonly PastStep[] = [], step: PastStep): PastStep[] {
  return [...past, step].slice(-MAX_PAST_STEPS);
}

/**
 * Returns the pass after its signer's answer about a past step: its transaction has left the chain, is back, or can never
 * come back. The known on-chain state follows, and the wanted state stays. `now` in Unix seconds.
 */
function recordPastAnswer(pass: Pass, before: PastStep, { revision, status }: Answer, now: UnixSeconds): Pass {
  switch (status.type) {
    case 'vanished': {
      const gone = takeOffChain(pass, { ...before, revision }, 'sent');
      return appendEvents(gone, now, ...reorgEvents(before, 'sent', now, differsOnChain(pass.onChain, gone.onChain)));
    }
    case 'confirmed':
      return recordReconfirmed(pass, before, revision, status, now);
    case 'withdrawn': {
      const gone = takeOffChain(pass, { ...before, revision }, 'failed');
      const past = removePastStep(gone.past ?? [], before);
      const events = reorgEvents(before, 'failed', now, differsOnChain(pass.onChain, gone.onChain));
      return appendEvents({ ...gone, past }, now, ...events);
    }
    default:
      return pass;
  }
}

/** Records that the transaction is in a block again, or in another one. A node behind that block does not show the effect. */
function recordReconfirmed(
  pass: Pass,
  before: PastStep,
  revision: number,
  { transaction: identifier, onChain: { asOf = 0 } }: Extract<StepStatus, { type: 'confirmed' }>,
  now: UnixSeconds,
): Pass {
  const transaction: Transaction = { identifier, status: 'confirmed' };
  const after = { ...before.after, asOf };
  const past = replacePastStep(pass.past, { ...before, revision, vanished: undefined, transaction: identifier, after });
  const onChain = { ...pass.onChain, asOf: Math.max(asOf, pass.onChain.asOf ?? 0) };
  const events = updateTransaction(pass.events, before.transaction, transaction, before.vanished);
  const there = { ...pass, past, events, onChain };
  // The record never showed the reorg, so it changes only if another transaction is confirmed now.
  if (!before.vanished) return before.transaction === identifier ? there : appendEvents(there, now);
  const event = { eventType: STEP_KINDS[before.kind].change, timestamp: now, transaction };
  const known = onChainWithout(onChain, past, before);
  if (before.isPartial && !differsOnChain(pass.onChain, known)) return appendEvents({ ...there, onChain: known }, now);
  const isRevoked = before.kind === 'revoke' && known.state === 'REVOKED';
  const revokedBy = isRevoked ? 'partner' : pass.revokedBy;
  return appendEvents(wantOnChainAgain({ ...there, onChain: known, revokedBy }), now, event);
}

/** Undoes an adopted loss: a reading during the reorg took the token for burned or revoked by others. */
function wantOnChainAgain(pass: Pass): Pass {
  const { state, expiry } = pass.onChain;
  if (pass.revokedBy !== 'others' || state === 'NONE' || state === 'REVOKED') return pass;
  return { ...pass, wanted: { ...pass.wanted, expiry, state }, revokedBy: undefined };
}

/** Returns the pass with that step off the chain, and its transaction in the given status. */
function takeOffChain(pass: Pass, step: PastStep, status: TransactionStatus): Pass {
  const events = updateTransaction(pass.events, step.transaction, { identifier: step.transaction, status }, true);
  const past = replacePastStep(pass.past, { ...step, vanished: true });
  const gone = { ...pass, events, past, onChain: onChainWithout(pass.onChain, past, step) };
  // A revocation that is off the chain has no effect.
  return step.kind === 'revoke' ? { ...gone, revokedBy: undefined } : gone;
}

/**
 * Returns the event that reports the reorg of the step. A reorg is reported only once, and that of a part of a change only if the
 * whole change was done.
 */
function reorgEvents(
  { kind, transaction, vanished, isPartial }: PastStep,
  status: TransactionStatus,
  now: UnixSeconds,
  isUndone: boolean,
): PassEvent[] {
  if (vanished || (isPartial && !isUndone)) return [];
  const event = { eventType: `${STEP_KINDS[kind].change}_REORGED`, timestamp: now } as const;
  return [{ ...event, transaction: { identifier: transaction, status } }];
}

function replacePastStep(past: readonly PastStep[] = [], step: PastStep): PastStep[] {
  return past.map((each) => (each.id === step.id ? step : each));
}

/** Returns the past without that step. The next step of the same kind of change then begins where that step began. */
function removePastStep(past: readonly PastStep[], { id, ...gone }: PastStep): PastStep[] {
  const later = past.slice(past.findIndex((each) => each.id === id) + 1);
  const state = changesState(gone) ? later.find(changesState) : undefined;
  const expiry = changesExpiry(gone) ? later.find(changesExpiry) : undefined;
  const others = past.filter((each) => each.id !== id);
  return others.map((each) => ({
    ...each,
    before: {
      ...each.before,
      ...(each === state && { state: gone.before.state }),
      ...(each === expiry && { expiry: gone.before.expiry }),
    },
  }));
}

/**
 * Returns the known on-chain state, with the value that the step had changed (state or expiry) computed again. It is the
 * value before the first change that is off the chain, unless a later change is on chain. Of several later changes, the one
 * in the highest block counts, which need not be the newest.
 */
function onChainWithout(known: OnChain, past: readonly PastStep[], { kind }: PastStep): OnChain {
  const left = (changes: (task: Task) => boolean): OnChain | undefined => {
    const steps = past.filter(changes);
    const gone = steps.findIndex(({ vanished }) => vanished);
    const isOnChain = (step: PastStep) => !step.vanished && !steps.some((each) => isMissingPart(each, step));
    const there = steps.slice(Math.max(0, gone)).filter(isOnChain);
    return there.toSorted((a, b) => (a.after.asOf ?? 0) - (b.after.asOf ?? 0)).at(-1)?.after ?? steps[gone]?.before;
  };
  const { state } = (changesState({ kind }) && left(changesState)) || known;
  const { expiry } = (changesExpiry({ kind }) && left(changesExpiry)) || known;
  return state === 'NONE' ? { state, asOf: known.asOf } : { ...known, state, expiry };
}

/** Whether a part of the step's change is off the chain, so that the change has no effect on the pass. */
function isMissingPart({ isPartial, vanished, kind, expiry }: PastStep, step: PastStep): boolean {
  return isPartial === true && vanished === true && kind === step.kind && expiry === step.expiry;
}

const changesState = ({ kind }: Task) => STEP_KINDS[kind].stateAfter !== undefined;
const changesExpiry = ({ kind }: Task) => STEP_KINDS[kind].setsExpiry;

/**
 * Returns the events with the new status of the transaction, which is the same in every event. If another transaction of the
 * same step replaced it after a reorg (`vanished`), the event that began the change gets the new one, and in the other
 * events the old one has failed.
 */
function updateTransaction(
  events: readonly PassEvent[],
  identifier: string,
  transaction: Transaction,
  vanished: boolean | undefined,
): PassEvent[] {
  return events.map((event) => {
    if (event.transaction?.identifier !== identifier) return event;
    const isOld = vanished && identifier !== transaction.identifier && !event.eventType.endsWith('_INITIATED');
    if (!isOld) return { ...event, transaction };
    return { ...event, transaction: { identifier, status: 'failed' } };
  });
}
