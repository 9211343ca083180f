import type { PartnerRoute, PublicRoute } from './route.ts';
import { bulkPassRoutes } from './routes/bulk-passes.ts';
import { docsRoutes, metadataRoutes } from './routes/docs.ts';
import { getUsage, listEvents } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { passRoutes } from './routes/passes.ts';
import { verifyRoutes } from './routes/verify.ts';

/** The first parts of the paths of `managing-routes.ts`. */
export const MANAGING_PATHS = ['subjects', 'rules', 'webhooks', 'audit', 'sandbox', 'console'] as const;

/** The routes for partners and for everybody that load at the start, in the order of the OpenAPI document. */
export const PARTNER_ROUTES: readonly (PartnerRoute | PublicRoute)[] = [
  ...healthRoutes,
  ...metadataRoutes,
  ...passRoutes,
  ...bulkPassRoutes,
  listEvents,
  getUsage,
  ...verifyRoutes,
  ...docsRoutes,
];
