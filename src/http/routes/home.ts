import type { PublicRoute } from '../route.ts';

/** Leads a person who opens the address of the service in a browser to the documentation. */
export const home: PublicRoute = {
  operationId: 'getHome',
  method: 'GET',
  path: '/',
  alsoAtRoot: true,
  scope: 'public',
  unlisted: true,
  summary: 'Redirect to the documentation',
  replies: { 302: { description: 'The documentation is at `/docs`, under the base path.', headers: ['Location'] } },
  handle: ({ config }) => toDocs(config.basePath),
};

export const toDocs = (basePath: string) => ({ status: 302, body: null, headers: { location: `${basePath}/docs` } });
