import { OPERATOR_TRAIL } from '../audit/entry.ts';
import { reply } from '../http/protocol/reply.ts';
import { adminRoute } from '../http/route.ts';
import { readTrail } from '../http/routes/audit.ts';
import { AllAuditQuery, CommandBody } from '../http/schemas/audit-requests.ts';

const listAllAudit = adminRoute({
  operationId: 'listAllAudit',
  method: 'GET',
  path: '/admin/audit',
  right: 'read',
  query: AllAuditQuery,
  handle: ({ query: { trail = OPERATOR_TRAIL, ...query }, config, ...backend }) =>
    readTrail(trail, query, config, backend),
});

/** A command that acts on the chain or a database reports before it starts. The router writes the entry. */
const reportCommand = adminRoute({
  operationId: 'reportCommand',
  method: 'POST',
  path: '/admin/audit',
  right: 'act',
  action: 'operator.command',
  body: CommandBody,
  handle: async ({ requestId }) => reply(201, JSON.stringify({ recorded: requestId })),
});

export const adminAuditRoutes = [listAllAudit, reportCommand];
