import { reply } from '../protocol/reply.ts';
import { METADATA_PATH } from '../protocol/url.ts';
import type { PublicRoute } from '../route.ts';

const protectedResource: PublicRoute = {
  operationId: 'getProtectedResource',
  method: 'GET',
  path: METADATA_PATH,
  wellKnown: true,
  scope: 'public',
  handle: ({ config: { basePath, tokens }, origin }) =>
    reply(
      200,
      JSON.stringify({
        resource: origin + basePath,
        resource_name: 'Gatepass',
        authorization_servers: [tokens.issuer],
        scopes_supported: Object.values(tokens.scopes),
        bearer_methods_supported: ['header'],
      }),
    ),
};

export const metadataRoutes = [protectedResource];
