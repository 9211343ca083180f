import type { AdminRoute } from './route.ts';
import { approvalRoutes } from './routes/admin/approvals.ts';
import { adminAuditRoutes } from './routes/admin/audit.ts';
import { databaseRoutes } from './routes/admin/databases.ts';
import { managedPartnerRoutes } from './routes/admin/manage-partners.ts';
import { getAdminDocument } from './routes/admin/openapi.ts';
import { partnerRoutes } from './routes/admin/partners.ts';
import { passLookUpRoutes } from './routes/admin/passes.ts';
import { revocationRoutes } from './routes/admin/revocations.ts';
import { signerRoutes } from './routes/admin/signers.ts';
import { waitingWorkRoutes } from './routes/admin/waiting-work.ts';

/** The routes under `/admin`, in the order of the OpenAPI document. The router loads them at their first request. */
export const OPERATOR_ROUTES: readonly AdminRoute[] = [
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
];
