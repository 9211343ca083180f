import { OPERATOR_TRAIL } from '../audit/entry.ts';
import type { Approval } from '../audit-object/begun-actions.ts';
import { refuseForbidden } from '../http/protocol/problem.ts';
import { reply } from '../http/protocol/reply.ts';
import { adminRoute } from '../http/route.ts';
import { ApprovalBody } from './requests.ts';
import { refuseApproval } from './second-person.ts';

const listApprovals = adminRoute({
  operationId: 'listApprovals',
  method: 'GET',
  path: '/admin/approvals',
  right: 'read',
  async handle({ auditTrail }) {
    const approvals = await auditTrail(OPERATOR_TRAIL).listApprovals();
    return reply(200, JSON.stringify({ approvals: approvals.map(toJson) }));
  },
});

const decideApproval = adminRoute({
  operationId: 'decideApproval',
  method: 'POST',
  path: '/admin/approvals',
  right: 'act',
  action: 'operator.decide',
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
