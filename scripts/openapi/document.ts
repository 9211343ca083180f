import type { Route } from '../../src/http/route.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { assertAllUsed } from './annotate.ts';
import { headerObjects } from './headers.ts';
import type { Json } from './json.ts';
import { namedSchemas } from './json-schema.ts';
import { operationOf } from './operation.ts';
import { headerParameters } from './parameters.ts';
import { refusalsOf } from './refusal-codes.ts';
import { problemExamples } from './refusals.ts';
import { DESCRIPTION, SCOPES, TAGS } from './texts.ts';

/** Stand for what each deployment has: it fills in its own when it serves the document. */
const SERVER = { url: 'https://api.example.com', description: 'Where the service is.' };
const TOKEN_URL = 'https://issuer.example.com/oauth/token';

/** The OpenAPI document of all routes. */
export function openapiDocument(version: string): Json {
  const listed = ROUTES.filter((route) => !('unlisted' in route));
  const paths = pathsOf(listed);
  const schemas = namedSchemas();
  assertAllUsed();
  return {
    openapi: '3.1.1',
    info: {
      title: 'Gatepass',
      version,
      summary: 'Issues, finds and manages on-chain passes.',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [SERVER],
    tags: Object.values(TAGS),
    paths,
    components: {
      schemas,
      parameters: headerParameters(),
      headers: headerObjects(paths),
      examples: problemExamples([...new Set(listed.flatMap(refusalsOf))]),
      securitySchemes: securitySchemes(),
    },
  };
}

function pathsOf(routes: readonly Route[]): Json {
  const byPath = Map.groupBy(routes, ({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'));
  return Object.fromEntries([...byPath].map(([path, group]) => [path, pathItem(group)]));
}

/** Well-known places are those of the host: there is no base path before them. */
function pathItem(routes: readonly Route[]): Json {
  const servers = routes.some(({ wellKnown }) => wellKnown) && { servers: [SERVER] };
  return { ...servers, ...Object.fromEntries(routes.map((route) => [route.method.toLowerCase(), operationOf(route)])) };
}

function securitySchemes(): Json {
  const scopes = Object.fromEntries(Object.values(SCOPES).map(({ name, description }) => [name, description]));
  return {
    oauth2: {
      type: 'oauth2',
      description: 'A token of the authorization server, for the credentials of a client.',
      flows: { clientCredentials: { tokenUrl: TOKEN_URL, scopes } },
    },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'A token that you have already.',
    },
  };
}
