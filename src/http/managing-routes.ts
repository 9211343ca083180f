import type { PartnerRoute } from './route.ts';
import { auditRoutes } from './routes/audit.ts';
import { sandboxRoutes } from './routes/sandbox.ts';
import { subjectRoutes } from './routes/subjects.ts';
import { webhookRoutes } from './routes/webhooks.ts';

/** The routes by which partners manage what is beside their passes. The router loads them at their first request. */
export const MANAGING_ROUTES: readonly PartnerRoute[] = [
  ...subjectRoutes,
  ...webhookRoutes,
  ...auditRoutes,
  ...sandboxRoutes,
];
