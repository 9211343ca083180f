import type { GenericSchema } from 'valibot';
import type { Route } from '../../src/http/route.ts';
import { REQUEST_HEADERS, type RequestHeader } from './headers.ts';
import { type Field, fieldsOf, type Json, namedSchemas, refTo } from './json-schema.ts';

/** What a request has beside its body. */
export function parametersOf(route: Route): Json[] {
  if (route.scope === 'public') return [];
  if (route.scope === 'admin') return fieldsOf(route.query).map(inQuery);
  return [
    ...inPath(route.params),
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

/** For the components of the document. */
export function headerParameters(): Json {
  return Object.fromEntries(
    Object.values(REQUEST_HEADERS).map(({ name, ...header }) => [
      name,
      { name, in: 'header', required: false, ...header },
    ]),
  );
}

const schemas = namedSchemas();

function inPath(params: GenericSchema): Json[] {
  return fieldsOf(params).map(({ name, required, schema }) => {
    const { description, examples } = schemas[String(schema.$ref).replace(refTo('schemas', ''), '')] ?? {};
    const [example] = examples as unknown[];
    return { name, in: 'path', required, description, schema, example };
  });
}

/** In a query everything is text, also a default. */
function inQuery({ name, required, schema: { description, default: usual, ...schema } }: Field): Json {
  const given = usual === undefined ? {} : { default: schema.type === 'integer' ? Number(usual) : usual };
  return { name, in: 'query', required, description, schema: { ...schema, ...given } };
}
