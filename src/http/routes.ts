import type { Route } from './route.ts';
import { approvalRoutes } from './routes/admin/approvals.ts';
import { databaseRoutes } from './routes/admin/databases.ts';
import { managedPartnerRoutes } from './routes/admin/manage-partners.ts';
import { getAdminDocument } from './routes/admin/openapi.ts';
import { partnerRoutes } from './routes/admin/partners.ts';
import { passLookUpRoutes } from './routes/admin/passes.ts';
import { revocationRoutes } from './routes/admin/revocations.ts';
import { signerRoutes } from './routes/admin/signers.ts';
import { waitingWorkRoutes } from './routes/admin/waiting-work.ts';
import { adminAuditRoutes, auditRoutes } from './routes/audit.ts';
import { bulkPassRoutes } from './routes/bulk-passes.ts';
import { consoleRoutes } from './routes/console.ts';
import { docsRoutes } from './routes/docs.ts';
import { listEvents } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { metadataRoutes } from './routes/metadata.ts';
import { passRoutes } from './routes/passes.ts';
import { sandboxRoutes } from './routes/sandbox.ts';
import { getUsage } from './routes/usage.ts';
import { verifyPass } from './routes/verify.ts';
import { webhookRoutes } from './routes/webhooks.ts';

/** All routes of the service, in the order of the OpenAPI documents. */
export const ROUTES: readonly Route[] = [
  ...healthRoutes,
  ...metadataRoutes,
  ...passRoutes,
  ...bulkPassRoutes,
  listEvents,
  getUsage,
  verifyPass,
  ...webhookRoutes,
  ...auditRoutes,
  ...sandboxRoutes,
  ...signerRoutes,
  ...passLookUpRoutes,
  ...waitingWorkRoutes,
  ...revocationRoutes,
  ...approvalRoutes,
  ...databaseRoutes,
  ...partnerRoutes,
  ...adminAuditRoutes,
  ...managedPartnerRoutes,
  getAdminDocument,
  ...docsRoutes,
  ...consoleRoutes,
];
