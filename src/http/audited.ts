import { waitUntil } from 'cloudflare:workers';
import { type Actor, type AuditEntry, boundedPart } from '../audit/entry.ts';
import { logFault } from '../log/log.ts';
import type { Backend } from '../operations/backend.ts';
import { type Refusal, refuseUnavailable } from './protocol/problem.ts';
import { isRefusal } from './protocol/reply.ts';
import type { AuditedReply } from './route.ts';

/** An action of the operator, or a change that a partner makes without a pass. */
interface Action {
  /** Name of its trail: the operator's, or a gatekeeper network. */
  readonly trail: string;
  readonly action: string;
  readonly actor: Actor;
  readonly requestId: string;
  /** The validated input of its route. */
  readonly input: { readonly params: unknown; readonly query: unknown; readonly body: unknown };
  /** Whether it takes access away. It then needs no entry, because the entries of the passes say the same. */
  readonly isLoss?: boolean;
}

const NO_ENTRY = 'The audit trail does not answer, and nothing changes without an entry there. Try again later.';

/**
 * Runs an action between the begin and the end of its entry in the audit trail. Refuses the action if its entry cannot be stored. If the
 * end is lost, the trail records an unknown outcome by itself.
 */
export async function audited(
  { trail: name, action, actor, requestId, isLoss, input: { params, query, body } }: Action,
  { auditTrail }: Backend,
  run: () => Promise<AuditedReply | Refusal>,
): Promise<AuditedReply | Refusal> {
  const trail = auditTrail(name);
  // No trail has the name of a subject. The entries of its passes have the same request.
  const { reason, subject: _, ...input } = withoutSecrets({ ...Object(params), ...Object(query), ...Object(body) });
  const at = new Date().toISOString();
  const conclude = (end: Pick<AuditEntry, 'before' | 'after' | 'outcome'> | undefined) =>
    trail.conclude(requestId, end).catch((fault) => logFault('audit.unavailable', fault, { action }));
  try {
    await trail.begin({ key: requestId, at, action, actor, requestId, target: boundedPart(input), reason });
  } catch (fault) {
    logFault('audit.unavailable', fault, { action });
    if (isLoss) return run();
    // The trail may have stored it all the same.
    waitUntil(conclude(undefined));
    return refuseUnavailable(undefined, NO_ENTRY);
  }
  try {
    const outcome = await run();
    if (isRefusal(outcome)) await conclude(undefined);
    else {
      const { counts, approval, before, after } = outcome.audit ?? {};
      await conclude({
        before: boundedPart(before),
        after: boundedPart(after),
        outcome: approval === undefined ? { type: 'done', counts: boundedPart(counts) } : { type: 'waits', approval },
      });
    }
    return outcome;
  } catch (fault) {
    // A call that timed out may still change something.
    await conclude({ outcome: { type: 'unknown', why: fault instanceof Error ? fault.name : 'unknown' } });
    throw fault;
  }
}

interface Input {
  readonly reason?: string;
  readonly url?: string;
  readonly subject?: string;
}

/** The URL of a webhook may have a secret in its path. */
function withoutSecrets<T extends Input>(input: T): T {
  return input.url === undefined ? input : { ...input, url: URL.parse(input.url)?.origin };
}
