import type { PublicRoute } from '../route.ts';

/** Leads a person who opens the address of the service in a browser to the documentation. */
export const home: PublicRoute = {
  operationId: 'getHome',
  method: 'GET',
  path: '/',
  alsoAtRoot: true,
  scope: 'public',
  handle: ({ config }) => toDocs(config.basePath),
};

export const toDocs = (basePath: string) => ({ status: 302, body: null, headers: { location: `${basePath}/docs` } });
