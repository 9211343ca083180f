import type { Route } from '../../src/http/route.ts';
import { REQUEST_HEADERS, type RequestHeader } from './headers.ts';
import type { Json } from './json.ts';
import { type Field, namedSchemas, parameterFields, refTo } from './json-schema.ts';

/** Returns the parameters of a route: of its path, its query and its headers. */
export function parametersOf(route: Route): Json[] {
  if (route.scope === 'public')
    return route.params ? parameterFields(route.params, route.operationId).map(pathParameter) : [];
  if (route.scope === 'admin') return parameterFields(route.query, route.operationId).map(queryParameter);
  return [
    ...parameterFields(route.params, route.operationId).map(pathParameter),
    ...(route.query ? parameterFields(route.query, route.operationId).map(queryParameter) : []),
    ...headersOf(route).map((name) => ({ $ref: refTo('parameters', REQUEST_HEADERS[name].name) })),
  ];
}

function headersOf(route: Route): RequestHeader[] {
  const names: RequestHeader[] = [];
  if (route.scope === 'search') names.push('bookmark');
  if ('waits' in route) names.push('prefer');
  if (304 in route.replies) names.push('ifNoneMatch');
  return names;
}

/** Returns the header parameters, for the components of the document. */
export function headerParameters(): Json {
  return Object.fromEntries(
    Object.values(REQUEST_HEADERS).map(({ name, ...header }) => [
      name,
      { name, in: 'header', required: false, ...header },
    ]),
  );
}

const schemas = namedSchemas();

function pathParameter({ name, required, schema }: Field): Json {
  const { description, examples } = schemas[String(schema.$ref).replace(refTo('schemas', ''), '')] ?? {};
  const [example] = examples as unknown[];
  return { name, in: 'path', required, description, schema, example };
}

/** Returns a query parameter. Its schema has a text as the default, because every value in a query is text. */
function queryParameter({ name, required, schema: { description, default: usual, ...schema } }: Field): Json {
  const given = usual === undefined ? {} : { default: schema.type === 'integer' ? Number(usual) : usual };
  const form = schema.type === 'array' ? { style: 'form', explode: false } : {};
  return { name, in: 'query', required, description, ...form, schema: { ...schema, ...given } };
}
