import type { Route } from '../../src/http/route.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { assertAllUsed } from './checks.ts';
import { headerObjects } from './headers.ts';
import type { Json } from './json.ts';
import { namedSchemas } from './json-schema.ts';
import { operationObject } from './operation-object.ts';
import { OPERATIONS, operationOf } from './operations.ts';
import { headerParameters } from './parameters.ts';
import { refusalsOf } from './refusal-codes.ts';
import { problemExamples } from './refusals.ts';
import { DESCRIPTION, SCOPES, TAGS } from './texts.ts';
import { webhooksOf } from './webhooks.ts';

/** Placeholders. Each deployment replaces them with its own addresses when it serves the document. */
const SERVER = { url: 'https://api.example.com', description: 'The base URL of the service.' };
const TOKEN_URL = 'https://issuer.example.com/oauth/token';

/** Returns the OpenAPI document of all routes that have an operation. */
export function openapiDocument(version: string): Json {
  const listed = ROUTES.filter(operationOf);
  if (listed.length < Object.keys(OPERATIONS).length) throw new Error('an operation has no route: remove it');
  const paths = pathsOf(listed);
  const schemas = namedSchemas();
  assertAllUsed();
  return {
    openapi: '3.1.1',
    info: {
      title: 'Gatepass',
      version,
      summary: 'Issues, finds and changes on-chain passes.',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [SERVER],
    tags: Object.values(TAGS),
    paths,
    webhooks: webhooksOf(),
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

/** Returns a path with its operations. A well-known path belongs to the host, so no base path precedes it. */
function pathItem(routes: readonly Route[]): Json {
  const servers = routes.some(({ wellKnown }) => wellKnown) && { servers: [SERVER] };
  return {
    ...servers,
    ...Object.fromEntries(routes.map((route) => [route.method.toLowerCase(), operationObject(route)])),
  };
}

function securitySchemes(): Json {
  const scopes = Object.fromEntries(Object.values(SCOPES).map(({ name, description }) => [name, description]));
  return {
    oauth2: {
      type: 'oauth2',
      description: 'A token that the authorization server issues for client credentials.',
      flows: { clientCredentials: { tokenUrl: TOKEN_URL, scopes } },
    },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'An access token that you already have.',
    },
  };
}
