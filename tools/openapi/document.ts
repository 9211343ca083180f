import { PROBLEMS, type ProblemCode } from '../../src/http/protocol/problem.ts';
import type { Route } from '../../src/http/route.ts';
import { assertAllUsed } from './checks.ts';
import { HEADERS } from './headers.ts';
import type { Json } from './json.ts';
import { namedSchemas, refTo } from './json-schema.ts';
import { operationObject, scopesOf } from './operation-object.ts';
import { OPERATIONS, operationOf } from './operations.ts';
import { headerParameters } from './parameters.ts';
import { CODES_WITHOUT_ROUTE, refusalsOf } from './refusal-codes.ts';
import { problemExamples, sharedResponses } from './refusals.ts';
import { ROUTES } from './routes.ts';
import { INFO, SCOPES, TAGS } from './texts.ts';
import { webhooksOf } from './webhooks.ts';

/** Placeholders. Each deployment replaces them with its own addresses when it serves the document. */
const SERVER = { url: 'https://api.example.com', description: 'The base URL of the service.' };
const TOKEN_URL = 'https://issuer.example.com/oauth/token';

/** Returns the OpenAPI documents of all routes that have an operation, by their readers. `docs/` has a folder for each. */
export function openapiDocuments(version: string): Readonly<Record<Reader, Json>> {
  const listed = ROUTES.filter(operationOf);
  if (listed.length < Object.keys(OPERATIONS).length) throw new Error('an operation has no route: remove it');
  const isOperators = ({ scope }: Route) => scope === 'admin';
  const documents = {
    partners: documentOf(
      'partners',
      listed.filter((route) => !isOperators(route)),
      version,
    ),
    operators: documentOf('operators', listed.filter(isOperators), version),
  };
  assertAllUsed();
  return documents;
}

type Reader = keyof typeof INFO;

function documentOf(reader: Reader, routes: readonly Route[], version: string): Json {
  const paths = pathsOf(routes);
  const content = { paths, ...(reader === 'partners' && { webhooks: webhooksOf() }) };
  const components = {
    schemas: namedSchemas(),
    parameters: headerParameters(),
    responses: sharedResponses(),
    headers: HEADERS,
    examples: problemExamples(SCOPES[INFO[reader].scope].name),
  };
  const tags = JSON.stringify(content);
  return {
    openapi: '3.1.1',
    info: { ...infoOf(reader, routes), version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [SERVER],
    tags: Object.values(TAGS).filter(({ name }) => tags.includes(`"tags":["${name}"]`)),
    ...content,
    components: { ...usedComponents(components, content), securitySchemes: securitySchemes(routes) },
  };
}

function infoOf(reader: Reader, routes: readonly Route[]): Json {
  const codes = new Set<ProblemCode>([...routes.flatMap(refusalsOf), ...CODES_WITHOUT_ROUTE]);
  const { title, summary, description } = INFO[reader];
  return {
    title,
    summary,
    description: description((Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => codes.has(code))),
  };
}

/** Returns the components to which the content refers, directly or through other components. */
function usedComponents(components: Readonly<Record<string, Json>>, content: Json): Json {
  const used = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [reference, kind = '', name = ''] of JSON.stringify(part).matchAll(/#\/components\/(\w+)\/([^"]+)/g)) {
      if (used.has(reference)) continue;
      used.add(reference);
      visit(components[kind]?.[name]);
    }
  };
  visit(content);
  const kinds = Object.entries(components).map(([kind, parts]) => {
    return [kind, Object.fromEntries(Object.entries(parts).filter(([name]) => used.has(refTo(kind, name))))] as const;
  });
  return Object.fromEntries(kinds.filter(([, parts]) => Object.keys(parts).length > 0));
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

function securitySchemes(routes: readonly Route[]): Json {
  const needed = new Set<string>(routes.flatMap(scopesOf));
  const scopes = Object.fromEntries(
    Object.entries(SCOPES).flatMap(([key, { name, description }]) => (needed.has(key) ? [[name, description]] : [])),
  );
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
