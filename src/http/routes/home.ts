import type { PublicRoute } from '../route.ts';

/** Who looks at the address of the service in a browser sees what it can do. */
export const home: PublicRoute = {
  operationId: 'getHome',
  method: 'GET',
  path: '/',
  alsoAtRoot: true,
  scope: 'public',
  unlisted: true,
  summary: 'Leads to the page for people',
  replies: { 302: { description: 'It is at `/docs`, under the base path.', headers: ['Location'] } },
  handle: ({ config }) => toDocs(config.basePath),
};

export const toDocs = (basePath: string) => ({ status: 302, body: null, headers: { location: `${basePath}/docs` } });
