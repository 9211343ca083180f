import { changed } from './change.ts';
import type { OnChain, Pass, PassEvent, PastStep, Transaction } from './pass.ts';
import { type Answer, CHANGE_OF, type Task } from './step.ts';
import type { TransactionStatus } from './vocabulary.ts';

/** How many steps are remembered; in most reorgs there is one, and the signer sends it again whether or not it is. */
const REMEMBERED = 16;

/** The past with one more step in it. */
export function remembered(past: readonly PastStep[] = [], step: PastStep): PastStep[] {
  return [...past, step].slice(-REMEMBERED);
}

/**
 * The pass after what its signer says of a step that had ended with a confirmed transaction: it has left the chain, is back,
 * or can never come back. What is known on chain follows; what is wanted stays. `now` in Unix seconds.
 */
export function recordPast(pass: Pass, before: PastStep, { revision, standing }: Answer, now: number): Pass {
  const { transaction: identifier } = before;
  switch (standing.at) {
    case 'vanished':
      return changed(off(pass, { ...before, revision }, 'sent'), now, ...news(before, 'sent', now));
    case 'confirmed': {
      const { asOf } = standing.onChain;
      const after = { ...before.after, asOf };
      const step = { ...before, revision, vanished: undefined, transaction: standing.transaction, after };
      const transaction: Transaction = { identifier: standing.transaction, status: 'confirmed' };
      const events = retold(pass.events, identifier, transaction, before.vanished);
      // It may be in a later block than before: who is behind that one does not see it.
      const onChain = { ...pass.onChain, asOf: Math.max(asOf ?? 0, pass.onChain.asOf ?? 0) };
      const back = withPast({ ...pass, events, onChain }, step);
      // That it had gone was never told: then there is nothing to tell but which transaction it is.
      if (!before.vanished) return identifier === standing.transaction ? back : changed(back, now);
      return changed(back, now, { eventType: CHANGE_OF[before.kind], timestamp: now, transaction });
    }
    case 'withdrawn': {
      const gone = off(pass, { ...before, revision }, 'failed');
      const past = gone.past?.filter(({ id }) => id !== before.id);
      return changed({ ...gone, past }, now, ...news(before, 'failed', now));
    }
    default:
      return pass;
  }
}

/** The pass with that step off the chain, and its transaction in that status. */
function off(pass: Pass, step: PastStep, status: TransactionStatus): Pass {
  const events = retold(pass.events, step.transaction, { identifier: step.transaction, status }, true);
  const gone = withPast({ ...pass, events }, { ...step, vanished: true });
  // A revocation that is off the chain revokes nothing.
  return step.kind === 'revoke' ? { ...gone, revokedBy: undefined } : gone;
}

/** That it has left the chain is told once. */
function news({ kind, transaction, vanished }: PastStep, status: TransactionStatus, now: number): PassEvent[] {
  if (vanished) return [];
  const event = { eventType: `${CHANGE_OF[kind]}_REORGED`, timestamp: now } as const;
  return [{ ...event, transaction: { identifier: transaction, status } }];
}

function withPast(pass: Pass, step: PastStep): Pass {
  const past = (pass.past ?? []).map((each) => (each.id === step.id ? step : each));
  return { ...pass, past, onChain: held(pass.onChain, past, step) };
}

/**
 * What the chain holds of what that step had changed: the newest change that is there counts, and where none is, what was
 * before them all.
 */
function held(known: OnChain, past: readonly PastStep[], { kind }: PastStep): OnChain {
  const newest = (changes: (task: Task) => boolean): OnChain | undefined => {
    const steps = past.filter(changes);
    return steps.findLast((step) => !step.vanished)?.after ?? steps[0]?.before;
  };
  const { state } = (changesState({ kind }) && newest(changesState)) || known;
  const { expiry } = (changesExpiry({ kind }) && newest(changesExpiry)) || known;
  return state === 'NONE' ? { state, asOf: known.asOf } : { ...known, state, expiry };
}

const changesState = ({ kind }: Task) => kind !== 'set-expiry';
const changesExpiry = ({ kind }: Task) => kind === 'issue' || kind === 'set-expiry';

/**
 * A transaction has one status, wherever it shows. Where another one for the same step took its place after it had
 * `vanished`, that one is told where the change began, and the old one has failed.
 */
function retold(
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
