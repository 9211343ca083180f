import type { UnixSeconds } from '../lib/brand.ts';
import { appendEvents } from './append-events.ts';
import type { OnChain, Pass, PassEvent, PastStep, Transaction } from './pass.ts';
import { type Answer, CHANGE_OF, type StepStatus } from './step.ts';
import type { Task } from './task.ts';
import type { TransactionStatus } from './vocabulary.ts';

/** How many steps are remembered. What is not remembered any more is sent again by the signer all the same. */
const MAX_PAST_STEPS = 16;

/** The past with one more step in it. */
export function appendPastStep(past: readonly PastStep[] = [], step: PastStep): PastStep[] {
  return [...past, step].slice(-MAX_PAST_STEPS);
}

/**
 * The pass after what its signer says of a step that had ended with a confirmed transaction: it has left the chain, is back,
 * or can never come back. What is known on chain follows; what is wanted stays. `now` in Unix seconds.
 */
export function recordPastAnswer(pass: Pass, before: PastStep, { revision, status }: Answer, now: UnixSeconds): Pass {
  switch (status.type) {
    case 'vanished':
      return appendEvents(
        takeOffChain(pass, { ...before, revision }, 'sent'),
        now,
        ...reorgEvents(before, 'sent', now),
      );
    case 'confirmed':
      return recordReconfirmed(pass, before, revision, status, now);
    case 'withdrawn': {
      const gone = takeOffChain(pass, { ...before, revision }, 'failed');
      const past = removePastStep(gone.past ?? [], before);
      return appendEvents({ ...gone, past }, now, ...reorgEvents(before, 'failed', now));
    }
    default:
      return pass;
  }
}

/** On the chain again, or in another block than before: who is behind that one does not see it. */
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
  // That it had gone was never told: then there is nothing to tell but which transaction it is.
  if (!before.vanished) return before.transaction === identifier ? there : appendEvents(there, now);
  const event = { eventType: CHANGE_OF[before.kind], timestamp: now, transaction };
  const known = onChainWithout(onChain, past, before);
  const isRevoked = before.kind === 'revoke' && known.state === 'REVOKED';
  const revokedBy = isRevoked ? 'partner' : pass.revokedBy;
  return appendEvents(wantOnChainAgain({ ...there, onChain: known, revokedBy }), now, event);
}

/** Who read the chain while it was gone took it for burned or revoked by others: what is there is wanted again. */
function wantOnChainAgain(pass: Pass): Pass {
  const { state, expiry } = pass.onChain;
  if (pass.revokedBy !== 'others' || state === 'NONE' || state === 'REVOKED') return pass;
  return { ...pass, wanted: { state, expiry }, revokedBy: undefined };
}

/** The pass with that step off the chain, and its transaction in that status. */
function takeOffChain(pass: Pass, step: PastStep, status: TransactionStatus): Pass {
  const events = updateTransaction(pass.events, step.transaction, { identifier: step.transaction, status }, true);
  const past = replacePastStep(pass.past, { ...step, vanished: true });
  const gone = { ...pass, events, past, onChain: onChainWithout(pass.onChain, past, step) };
  // A revocation that is off the chain revokes nothing.
  return step.kind === 'revoke' ? { ...gone, revokedBy: undefined } : gone;
}

/** That it has left the chain is told once. */
function reorgEvents(
  { kind, transaction, vanished }: PastStep,
  status: TransactionStatus,
  now: UnixSeconds,
): PassEvent[] {
  if (vanished) return [];
  const event = { eventType: `${CHANGE_OF[kind]}_REORGED`, timestamp: now } as const;
  return [{ ...event, transaction: { identifier: transaction, status } }];
}

function replacePastStep(past: readonly PastStep[] = [], step: PastStep): PastStep[] {
  return past.map((each) => (each.id === step.id ? step : each));
}

/** The past without that step: what came next began where it did. */
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
 * What the chain holds of what that step had changed: what was before the first change that is gone, unless a later one is
 * there. Of those that are there the one in the highest block counts: it need not be the newest.
 */
function onChainWithout(known: OnChain, past: readonly PastStep[], { kind }: PastStep): OnChain {
  const left = (changes: (task: Task) => boolean): OnChain | undefined => {
    const steps = past.filter(changes);
    const gone = steps.findIndex(({ vanished }) => vanished);
    const there = steps.slice(Math.max(0, gone)).filter(({ vanished }) => !vanished);
    return there.toSorted((a, b) => (a.after.asOf ?? 0) - (b.after.asOf ?? 0)).at(-1)?.after ?? steps[gone]?.before;
  };
  const { state } = (changesState({ kind }) && left(changesState)) || known;
  const { expiry } = (changesExpiry({ kind }) && left(changesExpiry)) || known;
  return state === 'NONE' ? { state, asOf: known.asOf } : { ...known, state, expiry };
}

const changesState = ({ kind }: Task) => kind !== 'set-expiry';
const changesExpiry = ({ kind }: Task) => kind === 'issue' || kind === 'set-expiry';

/**
 * A transaction has one status, wherever it shows. Where another one for the same step took its place after it had
 * `vanished`, that one is told where the change began, and the old one has failed.
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
