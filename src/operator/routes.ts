import { OPERATOR_TRAIL } from '../audit/entry.ts';
import { replyOpenapi } from '../http/pages/openapi-reply.ts';
import { reply } from '../http/protocol/reply.ts';
import { type AdminRoute, acts, adminRoute, reads } from '../http/route.ts';
import { readTrail } from '../http/routes/audit.ts';
import { databaseRoutes } from './databases.ts';
import { feedRoutes, partnerRoutes } from './partners.ts';
import { passLookUpRoutes } from './passes.ts';
import { AllAuditQuery, CommandBody } from './requests.ts';
import { revocationRoutes } from './revocations.ts';
import { approvalRoutes } from './second-person.ts';
import { signerRoutes } from './signers.ts';
import { waitingWorkRoutes } from './waiting-work.ts';

const listAllAudit = adminRoute({
  ...reads('listAllAudit', '/admin/audit'),
  query: AllAuditQuery,
  handle: ({ query: { trail = OPERATOR_TRAIL, ...query }, config, ...backend }) =>
    readTrail(trail, query, config, backend),
});

/** A command that acts on the chain or a database reports before it starts. The router writes the entry. */
const reportCommand = adminRoute({
  ...acts('reportCommand', '/admin/audit', 'operator.command'),
  body: CommandBody,
  handle: async ({ requestId }) => reply(201, JSON.stringify({ recorded: requestId })),
});

/** The OpenAPI document of the routes under `/admin`. Partners have another one. */
const getAdminDocument = adminRoute({
  ...reads('getAdminDocument', '/admin/openapi.json'),
  handle: (context) => replyOpenapi('operators', context),
});

/** The routes under `/admin`, in the order of the OpenAPI document. The router loads them at their first request. */
export const OPERATOR_ROUTES: readonly AdminRoute[] = [
  ...signerRoutes,
  ...passLookUpRoutes,
  ...waitingWorkRoutes,
  ...revocationRoutes,
  ...approvalRoutes,
  ...databaseRoutes,
  ...feedRoutes,
  listAllAudit,
  reportCommand,
  ...partnerRoutes,
  getAdminDocument,
];
