import { describe } from 'vitest';
import { ROUTES } from '../../../tools/openapi/routes.ts';
import { fuzzRoutes } from './fuzz-routes.ts';

describe('fuzzed requests of a partner', () => {
  const routes = ROUTES.filter(({ scope }) => scope !== 'admin');
  fuzzRoutes(routes, [200, 201, 202, 302, 400, 401, 404, 405, 409, 413, 415]);
});
