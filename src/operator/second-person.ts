import { OPERATOR_TRAIL } from '../audit/entry.ts';
import type { Approval, ApprovalRefusal } from '../audit-object/begun-actions.ts';
import type { Config, SecondPersonAction, SecondPersonLimits } from '../config/config.ts';
import { type Refusal, refuse, refuseForbidden } from '../http/protocol/problem.ts';
import { isRefusal, reply } from '../http/protocol/reply.ts';
import { type AuditedReply, acts, adminRoute, reads } from '../http/route.ts';
import type { Milliseconds } from '../lib/units.ts';
import type { Backend } from '../operations/backend.ts';
import type { GivenRights } from '../store/partner-changes.ts';
import { ApprovalBody } from './requests.ts';

/** A request for an action that may need a second person. */
export interface AskedAction extends Pick<Backend, 'auditTrail'> {
  readonly body: { readonly approval?: string | undefined; readonly after?: unknown };
  readonly config: Config;
  readonly requestId: string;
}

interface Action {
  readonly kind: SecondPersonAction | 'give_rights';
  /** Maximum number of items that one request does. */
  readonly slice: number;
  /** Returns the number of items that are left, of those that existed at that time. */
  count(before: Milliseconds): Promise<number | Refusal>;
  /** Does a slice of the items that existed at that time. */
  run(before: Milliseconds): Promise<Done | Refusal>;
}

/** A slice that is done. */
interface Done {
  /** Number of items that it took from those that were counted. 0 if `count` counts finished items too. */
  readonly done: number;
  readonly hasMore: boolean;
  readonly reply: AuditedReply;
}

/**
 * Returns the number of items per day above which a second person must confirm; undefined: nobody must. Rights over existing passes need one
 * as soon as any action does: with them, one person could change the passes as a partner.
 */
export function limitOf(limits: SecondPersonLimits, action: SecondPersonAction | 'give_rights'): number | undefined {
  if (action !== 'give_rights') return limits[action];
  return Object.values(limits).some((limit) => limit !== undefined) ? 0 : undefined;
}

/**
 * Runs an action, unless it is so large that a second person must confirm it. Then it answers 202 with the id of the approval. The same
 * request with this id runs the confirmed action, and never more than the action that was confirmed.
 */
export async function withSecondPerson(asked: AskedAction, action: Action): Promise<AuditedReply | Refusal> {
  const { body, config, requestId, auditTrail } = asked;
  const { kind, slice } = action;
  const limit = limitOf(config.secondPerson, kind);
  const { approval: id, after, ...fields } = body;
  const now = Date.now();
  if (id === undefined && limit === undefined) return replyOf(await action.run(now));
  const trail = auditTrail(OPERATOR_TRAIL);
  const input = JSON.stringify(fields);
  if (id === undefined) {
    const left = await action.count(now);
    if (typeof left !== 'number') return left;
    const waiting = await trail.weigh(requestId, { input, limit: limit ?? 0, left, slice });
    if (waiting === undefined) return replyOf(await action.run(now));
    return waiting === 'too-many' ? refuseApproval(waiting) : waitsFor(waiting);
  }
  const approval = await trail.findConfirmed(requestId, id, input);
  if (typeof approval === 'string') return refuseApproval(approval);
  const before = Date.parse(approval.at);
  const left = await action.count(before);
  if (typeof left !== 'number') return left;
  if (left > approval.count) return refuse('approval_not_valid', { detail: GROWN });
  const done = await action.run(before);
  if (!isRefusal(done)) await trail.spendApproval(id, done.done, done.hasMore);
  return replyOf(done);
}

/**
 * Runs a change of partners, unless it gives clients rights over passes that exist and a second person must confirm that.
 * @param clients The clients of the change, with the rights that they get.
 */
export function givingRights(
  asked: AskedAction,
  clients: readonly GivenRights[],
  { countGivenRights }: Pick<Backend['store'], 'countGivenRights'>,
  run: () => Promise<AuditedReply | Refusal>,
): Promise<AuditedReply | Refusal> {
  return withSecondPerson(asked, {
    kind: 'give_rights',
    slice: clients.length,
    count: () => countGivenRights(clients),
    async run() {
      const outcome = await run();
      return isRefusal(outcome) ? outcome : { done: clients.length, hasMore: false, reply: outcome };
    },
  });
}

const replyOf = (done: Done | Refusal): AuditedReply | Refusal => (isRefusal(done) ? done : done.reply);

function waitsFor({ id, expires, count }: Approval): AuditedReply {
  const body = { approval: { id, expires: Math.floor(expires / 1000), count } };
  return { ...reply(202, JSON.stringify(body)), audit: { approval: id } };
}

const GROWN = 'The action concerns more items now than were confirmed. Send the request without approval to ask again.';

const TEXTS: Readonly<Record<ApprovalRefusal, string>> = {
  unknown: 'No approval has this id. It was rejected, has expired, or its action is done.',
  unconfirmed: 'Nobody has confirmed this approval yet.',
  confirmed: 'This approval is confirmed already.',
  differs:
    'The approval is for another request. Send exactly the request that was confirmed, with the id of the approval.',
  'same-person': 'The person who asked cannot decide. Another person must confirm or reject it.',
  'too-many': 'A hundred approvals wait. Confirm or reject some of them first.',
};

function refuseApproval(reason: ApprovalRefusal): Refusal {
  if (reason === 'same-person') return refuseForbidden('another_person_required', { detail: TEXTS[reason] });
  return refuse(reason === 'unknown' ? 'not_found' : 'approval_not_valid', { detail: TEXTS[reason] });
}

const listApprovals = adminRoute({
  ...reads('listApprovals', '/admin/approvals'),
  async handle({ auditTrail }) {
    const approvals = await auditTrail(OPERATOR_TRAIL).listApprovals();
    return reply(200, JSON.stringify({ approvals: approvals.map(toJson) }));
  },
});

const decideApproval = adminRoute({
  ...acts('decideApproval', '/admin/approvals', 'operator.decide'),
  body: ApprovalBody,
  async handle({ body: { confirm, reject = '' }, actor, auditTrail }) {
    if (actor.sub === undefined) return refuseForbidden('another_person_required');
    const approval = await auditTrail(OPERATOR_TRAIL).decideApproval(confirm ?? reject, actor, confirm !== undefined);
    if (typeof approval === 'string') return refuseApproval(approval);
    return reply(200, JSON.stringify({ [confirm === undefined ? 'rejected' : 'confirmed']: toJson(approval) }));
  },
});

/** Times in Unix seconds, as everywhere in the API. */
function toJson({ id, action, actor, at, expires, count, input, confirmedBy }: Approval) {
  const [askedAt, expiresAt] = [Date.parse(at), expires].map((time) => Math.floor(time / 1000));
  return { id, action, request: JSON.parse(input), count, askedBy: actor, askedAt, expiresAt, confirmedBy };
}

export const approvalRoutes = [listApprovals, decideApproval];
