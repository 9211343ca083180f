import { reply } from '../protocol/reply.ts';
import type { PublicRoute } from '../route.ts';

export const health: PublicRoute = {
  operationId: 'getHealth',
  method: 'GET',
  path: '/health',
  scope: 'public',
  handle: () => reply(200, '{"status":"ok"}'),
};
