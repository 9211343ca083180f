import type { PartnerRoute, PublicRoute } from './route.ts';
import { auditRoutes } from './routes/audit.ts';
import { bulkPassRoutes } from './routes/bulk-passes.ts';
import { consoleRoutes } from './routes/console.ts';
import { docsRoutes, metadataRoutes } from './routes/docs.ts';
import { getUsage, listEvents } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { passRoutes } from './routes/passes.ts';
import { sandboxRoutes } from './routes/sandbox.ts';
import { subjectRoutes } from './routes/subjects.ts';
import { verifyPass } from './routes/verify.ts';
import { webhookRoutes } from './routes/webhooks.ts';

/** The routes for partners and for everybody, in the order of the OpenAPI document. */
export const PARTNER_ROUTES: readonly (PartnerRoute | PublicRoute)[] = [
  ...healthRoutes,
  ...metadataRoutes,
  ...passRoutes,
  ...bulkPassRoutes,
  ...subjectRoutes,
  listEvents,
  getUsage,
  verifyPass,
  ...webhookRoutes,
  ...auditRoutes,
  ...sandboxRoutes,
  ...docsRoutes,
  ...consoleRoutes,
];
