import { type PublicRoute, reply } from '../route.ts';

export const health: PublicRoute = {
  method: 'GET',
  path: '/health',
  scope: 'public',
  summary: 'Whether the service runs and is configured',
  handle: () => reply(200, '{"status":"ok"}'),
};
