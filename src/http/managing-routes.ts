import type { PartnerRoute, PublicRoute } from './route.ts';
import { auditRoutes } from './routes/audit.ts';
import { consoleRoutes } from './routes/console.ts';
import { sandboxRoutes } from './routes/sandbox.ts';
import { subjectRoutes } from './routes/subjects.ts';
import { webhookRoutes } from './routes/webhooks.ts';

/** The routes by which partners manage what is beside their passes, and the console. The router loads them at their first request. */
export const MANAGING_ROUTES: readonly (PartnerRoute | PublicRoute)[] = [
  ...subjectRoutes,
  ...webhookRoutes,
  ...auditRoutes,
  ...sandboxRoutes,
  ...consoleRoutes,
];
