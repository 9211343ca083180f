import { type Actor, type AuditEntry, OPERATOR_TRAIL } from '../audit/entry.ts';
import { logFault } from '../log/log.ts';
import type { Backend } from '../operations/backend.ts';
import { type Refusal, refuseUnavailable } from './protocol/problem.ts';
import { isRefusal } from './protocol/reply.ts';
import type { AdminReply } from './route.ts';

/** An action of the operator. */
interface OperatorAction {
  readonly action: string;
  readonly actor: Actor;
  readonly requestId: string;
  /** The validated input of its route. */
  readonly input: { readonly params: unknown; readonly query: unknown; readonly body: unknown };
}

const NO_ENTRY = 'The audit trail does not answer, and the operator changes nothing without an entry. Try again later.';

/**
 * Runs an action of the operator between the begin and the end of its entry in the audit trail. Refuses the action if its entry cannot
 * be stored. If the end is lost, the trail records an unknown outcome by itself.
 */
export async function audited(
  { action, actor, requestId, input: { params, query, body } }: OperatorAction,
  { auditTrail }: Backend,
  run: () => Promise<AdminReply | Refusal>,
): Promise<AdminReply | Refusal> {
  const trail = auditTrail(OPERATOR_TRAIL);
  const { reason, ...target } = { ...Object(params), ...Object(query), ...Object(body) } as { reason?: string };
  const at = new Date().toISOString();
  try {
    await trail.begin({ key: requestId, at, action, actor, requestId, target, reason });
  } catch (fault) {
    logFault('audit.unavailable', fault, { action });
    return refuseUnavailable(undefined, NO_ENTRY);
  }
  const conclude = (end: Pick<AuditEntry, 'before' | 'after' | 'outcome'> | undefined) =>
    trail.conclude(requestId, end).catch((fault) => logFault('audit.unavailable', fault, { action }));
  try {
    const outcome = await run();
    if (isRefusal(outcome)) await conclude(undefined);
    else {
      const { counts, ...states } = outcome.audit ?? {};
      await conclude({ ...states, outcome: { type: 'done', counts } });
    }
    return outcome;
  } catch (fault) {
    await conclude({ outcome: { type: 'failed', why: fault instanceof Error ? fault.name : 'unknown' } });
    throw fault;
  }
}
