import { reply } from '../protocol/reply.ts';
import type { PublicRoute } from '../route.ts';

export const health: PublicRoute = {
  operationId: 'getHealth',
  method: 'GET',
  path: '/health',
  scope: 'public',
  summary: 'Whether the service runs and is configured',
  description: 'Asks neither the database nor a chain.',
  replies: { 200: { description: 'It does.', body: 'Health' } },
  handle: () => reply(200, '{"status":"ok"}'),
};
