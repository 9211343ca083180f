import { describe } from 'vitest';
import { ROUTES } from '../../../tools/openapi/routes.ts';
import { fuzzRoutes } from './fuzz-routes.ts';

describe('fuzzed requests of the operator', () => {
  const routes = ROUTES.filter(({ scope }) => scope === 'admin');
  // The newest route comes first, while there is little to redrive.
  fuzzRoutes(routes.toReversed(), [200, 201, 202, 400, 401, 403, 404, 405, 413, 415]);
});
