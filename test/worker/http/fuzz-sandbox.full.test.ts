import { describe } from 'vitest';
import { ROUTES } from '../../../tools/openapi/routes.ts';
import { fuzzRoutes } from './fuzz-routes.ts';

describe('fuzzed requests of a partner in a sandbox', () => {
  const routes = ROUTES.filter(({ scope }) => scope !== 'admin' && scope !== 'public');
  fuzzRoutes(routes, [200, 201, 202, 400, 401, 404, 405, 409, 413, 415, 429], 'sandboxed');
});
