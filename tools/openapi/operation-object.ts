import * as v from 'valibot';
import { type Route, rightsOf } from '../../src/http/route.ts';
import { headersOf } from './headers.ts';
import type { Json } from './json.ts';
import { jsonSchema, namedSchemas, refTo } from './json-schema.ts';
import type { DeclaredReply, Operation } from './operation.ts';
import { operationOf } from './operations.ts';
import { parametersOf } from './parameters.ts';
import { refusalResponses } from './refusals.ts';
import { SCOPES, TAGS } from './texts.ts';

/** Returns the operation object of a route. Throws if the route has no operation. */
export function operationObject(route: Route): Json {
  const { operationId } = route;
  const operation = operationOf(route);
  if (operation === undefined) throw new Error(`${operationId} has no operation`);
  const parameters = parametersOf(route);
  const requestBody = requestBodyOf(route, operation);
  return {
    operationId,
    summary: operation.summary,
    description: descriptionOf(operation),
    tags: [tagOf(route).name],
    security: ['oauth2', 'bearer'].flatMap((scheme) =>
      scopesOf(route).map((each) => ({ [scheme]: [SCOPES[each].name] })),
    ),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: { ...repliesOf(route, operation), ...refusalResponses(route) },
  };
}

/** Returns the scopes of which one suffices, the narrowest first. A public route needs none. */
export function scopesOf(route: Route): (keyof typeof SCOPES)[] {
  if (route.scope === 'public') return [];
  return route.scope === 'admin' ? [...rightsOf(route), 'admin'] : [route.scope];
}

/** Returns the description, for a bulk route with the problem codes of items, which no response of its own has. */
function descriptionOf({ description, itemRefuses }: Operation): string {
  if (itemRefuses === undefined) return description;
  const codes = ['invalid_json', 'invalid_request', ...itemRefuses, 'temporarily_unavailable'];
  return `${description} The problem of an item has one of these codes: ${codes.map((code) => `\`${code}\``).join(', ')}.`;
}

function tagOf({ scope, path }: Route) {
  if (path === '/events') return TAGS.events;
  if (path === '/audit') return TAGS.audit;
  if (path.startsWith('/sandbox/')) return TAGS.sandbox;
  if (/^\/(subjects|rules)\b/.test(path)) return TAGS.subjects;
  if (scope === 'webhook') return TAGS.webhooks;
  return scope === 'public' ? TAGS.service : scope === 'admin' ? TAGS.operator : TAGS.passes;
}

function requestBodyOf(route: Route, { request }: Operation): Json | undefined {
  const body = 'body' in route ? route.body : undefined;
  if (request?.body.source !== body)
    throw new Error(`the operation ${route.operationId} must describe the body of its route`);
  if (request === undefined || body === undefined) return undefined;
  const content = { schema: jsonSchema(request.body), examples: request.examples };
  return { required: !v.is(body, {}), content: { 'application/json': content } };
}

function repliesOf(route: Route, { replies }: Operation): Json {
  return Object.fromEntries(Object.entries(replies).map(([status, reply]) => [status, replyObject(route, reply)]));
}

function replyObject(route: Route, { description, body, examples, mediaType, headers = [] }: DeclaredReply): Json {
  const waits = 'waits' in route ? ['Preference-Applied'] : [];
  const ends = route.path.includes('/:chainNetwork') ? ['Sunset'] : [];
  const content = body
    ? { 'application/json': contentOf(jsonSchema(body), examples) }
    : mediaType && { [mediaType]: { schema: { type: 'string' } } };
  return { description, headers: headersOf([...headers, ...waits, ...ends]), ...(content && { content }) };
}

function contentOf(schema: Json, examples: DeclaredReply['examples']): Json {
  return { schema, ...(examples === undefined ? { example: exampleOf(schema) } : { examples }) };
}

const schemas = namedSchemas();

/** Returns an example that combines those of the fields. */
function exampleOf(schema: Json): unknown {
  const { $ref, examples, type, properties, items, anyOf } = schema as {
    $ref?: string;
    examples?: unknown[];
    type?: string;
    properties?: Record<string, Json>;
    items?: Json;
    anyOf?: Json[];
  };
  if (examples !== undefined) return examples[0];
  if ($ref !== undefined) return exampleOf(schemas[$ref.replace(refTo('schemas', ''), '')] ?? {});
  if (items !== undefined) return [exampleOf(items)];
  if (anyOf?.[0] !== undefined) return exampleOf(anyOf[0]);
  if (properties === undefined) throw new Error(`a field of type ${type} has no example: add one to its schema`);
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field)]));
}
