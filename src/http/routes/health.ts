import { reply } from '../protocol/reply.ts';
import type { PublicRoute } from '../route.ts';

export const health: PublicRoute = {
  operationId: 'getHealth',
  method: 'GET',
  path: '/health',
  scope: 'public',
  summary: 'Check that the service runs and is configured',
  description: 'Reads neither the database nor a chain.',
  replies: { 200: { description: 'The service runs, and its configuration is valid.', body: 'Health' } },
  handle: () => reply(200, '{"status":"ok"}'),
};
