import { MANAGING_ROUTES } from '../../src/http/managing-routes.ts';
import { PARTNER_ROUTES } from '../../src/http/partner-routes.ts';
import type { Route } from '../../src/http/route.ts';
import { OPERATOR_ROUTES } from '../../src/operator/routes.ts';

/** All routes of the service, in the order of the document. The Worker loads the operator's at their first request. */
export const ROUTES: readonly Route[] = [...PARTNER_ROUTES, ...MANAGING_ROUTES, ...OPERATOR_ROUTES];
