import type { Route } from '../../src/http/route.ts';
import { REQUEST_HEADERS, type RequestHeader } from './headers.ts';
import type { Json } from './json.ts';
import { type Field, namedSchemas, queryFields, refTo } from './json-schema.ts';
import { operationOf } from './operations.ts';

/** The schema component of each path parameter. */
const PATH: Readonly<Record<string, string>> = {
  chain: 'ChainName',
  chainNetwork: 'NetworkName',
  client: 'ClientId',
  gatekeeperNetwork: 'GatekeeperNetworkKey',
  subject: 'SubjectName',
  wallet: 'Wallet',
  webhook: 'WebhookId',
};

/** Returns the parameters of a route: of its path, its query and its headers. */
export function parametersOf(route: Route): Json[] {
  const { query: texts = {} } = operationOf(route) ?? {};
  const query = 'query' in route && route.query !== undefined ? queryFields(route.query, texts) : [];
  return [
    ...[...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => pathParameter(name)),
    ...query.map(queryParameter),
    ...headersOf(route).map((name) => ({ $ref: refTo('parameters', REQUEST_HEADERS[name].name) })),
  ];
}

function headersOf(route: Route): RequestHeader[] {
  const names: RequestHeader[] = [];
  if (route.scope === 'search' && route.path !== '/audit') names.push('bookmark');
  if ('waits' in route) names.push('prefer');
  if (304 in (operationOf(route)?.replies ?? {})) names.push('ifNoneMatch');
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

function pathParameter(name: string): Json {
  const component = PATH[name];
  if (component === undefined) throw new Error(`the path parameter ${name} has no schema: add it to PATH`);
  const { description, examples } = schemas[component] ?? {};
  const [example] = examples as unknown[];
  return { name, in: 'path', required: true, description, schema: { $ref: refTo('schemas', component) }, example };
}

/** Returns a query parameter. Its schema has a text as the default, because every value in a query is text. */
function queryParameter({ name, required, schema: { description, default: usual, ...schema } }: Field): Json {
  const given = usual === undefined ? {} : { default: schema.type === 'integer' ? Number(usual) : usual };
  const form = schema.type === 'array' ? { style: 'form', explode: false } : {};
  return { name, in: 'query', required, description, ...form, schema: { ...schema, ...given } };
}
