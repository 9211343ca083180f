import type { UnixSeconds } from '../lib/brand.ts';
import { appendEvents } from './append-events.ts';
import { differsOnChain, type OnChain, type Pass, type PassEvent, type PastStep, type Transaction } from './pass.ts';
import type { Answer, StepStatus } from './step.ts';
import { STEP_KINDS, type Task } from './step-kinds.ts';
import type { TransactionStatus } from './vocabulary.ts';

/** Maximum number of past steps in a pass. The signer rebroadcasts reorged transactions of older steps all the same. */
const MAX_PAST_STEPS = 16;

/** Returns the past with one more step. */
export function appendPastStep(past: readonly PastStep[] = [], step: PastStep): PastStep[] {
  return [...past, step].slice(-MAX_PAST_STEPS);
}

/**
 * Returns the pass after its signer's answer about a past step: its transaction has left the chain, is back, or can never
 * come back. The known on-chain state follows, and the wanted state stays. `now` in Unix seconds.
 */
export function recordPastAnswer(pass: Pass, before: PastStep, { revision, status }: Answer, now: UnixSeconds): Pass {
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
