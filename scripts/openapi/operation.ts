import * as v from 'valibot';
import type { DeclaredReply, ReplySchema, Route } from '../../src/http/route.ts';
import { replyExamples, requestExamples } from './body-examples.ts';
import { headersOf } from './headers.ts';
import type { Json } from './json.ts';
import { jsonSchema, refTo } from './json-schema.ts';
import { parametersOf } from './parameters.ts';
import { refusalResponses } from './refusals.ts';
import { SCOPES, TAGS } from './texts.ts';

/** Returns the operation object of a route. */
export function operationOf(route: Route): Json {
  const { operationId, summary, scope } = route;
  const parameters = parametersOf(route);
  const body = 'body' in route && route.body !== undefined ? route.body : undefined;
  return {
    operationId,
    summary,
    description: descriptionOf(route),
    tags: [tagOf(route).name],
    security:
      scope === 'public'
        ? []
        : ['oauth2', 'bearer'].map((scheme) => ({ [scheme]: [SCOPES[tokenScopeOf(route) ?? scope].name] })),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBody(operationId, body) }),
    responses: { ...replies(route), ...refusalResponses(route) },
  };
}

const tokenScopeOf = (route: Route) => ('tokenScope' in route ? route.tokenScope : undefined);

/** Returns the description, for a bulk route with the problem codes of items, which no response of its own has. */
function descriptionOf(route: Route): string | undefined {
  const codes =
    'bulk' in route ? ['invalid_json', 'invalid_request', ...(route.itemRefuses ?? []), 'temporarily_unavailable'] : [];
  if (codes.length === 0) return route.description;
  return `${route.description} The problem of an item has one of these codes: ${codes.map((code) => `\`${code}\``).join(', ')}.`;
}

function tagOf({ scope, path }: Route) {
  if (path === '/events') return TAGS.events;
  if (scope === 'webhook') return TAGS.webhooks;
  return scope === 'public' ? TAGS.service : scope === 'admin' ? TAGS.operator : TAGS.passes;
}

function requestBody(operationId: string, body: v.GenericSchema): Json {
  const schema = jsonSchema(body);
  // Only a named schema has annotations.
  if (!('$ref' in schema)) throw new Error(`the request body of ${operationId} has no name in the document`);
  const content = { schema, examples: requestExamples(operationId) };
  return { required: !v.is(body, {}), content: { 'application/json': content } };
}

function replies(route: Route): Json {
  const declared = Object.entries(route.replies);
  return Object.fromEntries(declared.map(([status, reply]) => [status, replyObject(route, reply)]));
}

function replyObject(route: Route, { description, body, mediaType, headers = [] }: DeclaredReply): Json {
  const waits = 'waits' in route ? ['Preference-Applied'] : [];
  const content = body
    ? { [mediaType ?? 'application/json']: contentOf(route, body) }
    : mediaType && { [mediaType]: { schema: { type: 'string' } } };
  return { description, headers: headersOf([...headers, ...waits]), ...(content && { content }) };
}

function contentOf({ operationId }: Route, body: ReplySchema): Json {
  const schema = { $ref: refTo('schemas', body) };
  return { schema, ...replyExamples(operationId, schema) };
}
