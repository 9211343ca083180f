import { replyOpenapi } from '../http/pages/openapi-reply.ts';
import { adminRoute } from '../http/route.ts';

/** The OpenAPI document of the routes under `/admin`. Partners have another one. */
export const getAdminDocument = adminRoute({
  operationId: 'getAdminDocument',
  method: 'GET',
  path: '/admin/openapi.json',
  right: 'read',
  handle: (context) => replyOpenapi('operators', context),
});
