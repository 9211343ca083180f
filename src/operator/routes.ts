import type { AdminRoute } from '../http/route.ts';
import { approvalRoutes } from './approvals.ts';
import { adminAuditRoutes } from './audit.ts';
import { databaseRoutes } from './databases.ts';
import { getAdminDocument } from './openapi.ts';
import { managedPartnerRoutes } from './partners.ts';
import { passLookUpRoutes } from './passes.ts';
import { revocationRoutes } from './revocations.ts';
import { signerRoutes } from './signers.ts';
import { waitingWorkRoutes } from './waiting-work.ts';
import { partnerRoutes } from './webhooks.ts';

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
