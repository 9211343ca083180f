import { type IRequest, Router } from 'itty-router';
import type { GenericSchema } from 'valibot';
import type { Config } from '../config/config.ts';
import { shardOf } from '../store/shards.ts';
import { authorize, authorizeOperator } from './access/authorize.ts';
import { limitAddress } from './access/rate-limits.ts';
import { BOOKMARK } from './protocol/bookmark-header.ts';
import { preflightHeaders } from './protocol/cors.ts';
import { notModified } from './protocol/etag.ts';
import { readJson } from './protocol/json-body.ts';
import { parseWait } from './protocol/prefer.ts';
import { type Refusal, refuse } from './protocol/problem.ts';
import { validate } from './protocol/validate.ts';
import type { RequestLog } from './request-log.ts';
import type { AdminRoute, Reply, Route } from './route.ts';

export type Dispatch = (request: Request, env: Env, trace: RequestLog) => Promise<Reply | Refusal>;

type RouteArguments = [request: Request, env: Env, trace: RequestLog];

/** The routes under the configured base path. Unknown paths and methods are refused here. */
export function dispatcher(routes: readonly Route[], config: Config): Dispatch {
  const router = Router<IRequest, RouteArguments, Promise<Reply | Refusal>>();
  for (const route of routes.filter(({ scope }) => scope !== 'admin' || config.admin !== undefined)) {
    const handler = ({ params }: IRequest, request: Request, env: Env, trace: RequestLog) => {
      trace.route = route.path;
      return run(route, params, request, env, config, trace);
    };
    for (const path of pathsOf(route, config)) router[methodOf(route)](path, handler);
  }
  return async (request, env, trace) => {
    const refusal = await limitAddress(request, env);
    if (refusal !== undefined) return refusal;
    const [method, path] = targetOf(request);
    for (const [of, pattern, [handle]] of router.routes) {
      const params = of === method ? path.match(pattern) : null;
      if (params !== null && handle) return handle({ params: { ...params.groups } } as IRequest, request, env, trace);
    }
    return noRoute(router.routes, request, config);
  };
}

const methodOf = ({ method }: Route) => method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';

function pathsOf({ path, wellKnown, alsoAtRoot }: Route, { basePath }: Config): Iterable<string> {
  return new Set([wellKnown ? path + basePath : basePath + path, ...(alsoAtRoot ? [path] : [])]);
}

/**
 * What a route is found by: method and path. HEAD asks for what GET would answer, without its body (RFC 9110 §9.3.2). Not
 * by itty-router's own `fetch`: it parses the URL anew and takes the query apart in quadratic time, and nobody is known yet.
 */
function targetOf({ method, url }: Request): [method: string, path: string] {
  const path = url.slice(url.indexOf('/', 'https://'.length)).replace(/[?#].*$/s, '');
  return [method === 'HEAD' ? 'GET' : method, path];
}

type Entries = readonly (readonly [method: string, path: RegExp, ...unknown[]])[];

function noRoute(entries: Entries, request: Request, { corsOrigins }: Config): Refusal | Reply {
  const { pathname } = new URL(request.url);
  const methods = entries.filter(([, path]) => path.test(pathname)).map(([method]) => method);
  if (methods.length === 0) return refuse('not_found');
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  const headers = preflightHeaders(request, corsOrigins, allow);
  return headers ? { status: 204, body: null, headers } : refuse('method_not_allowed', { headers: { allow } });
}

async function run(
  route: Route,
  params: Readonly<Record<string, string>>,
  request: Request,
  env: Env,
  config: Config,
  trace: RequestLog,
): Promise<Reply | Refusal> {
  if (route.scope === 'public') {
    return route.handle({ params, request, env, config, origin: new URL(request.url).origin });
  }
  if (route.scope === 'admin') return runForOperator(route, request, env, config, trace);
  const authorized = await authorize(request, route.scope, config, env, trace);
  if ('code' in authorized) return authorized;
  const { partner } = authorized;
  const shard = shardOf(env, partner.shard);
  const named = validate(route.params, decoded(params));
  if ('code' in named) return named;
  const body = await readBody(route.body, request);
  if ('code' in body) return body;
  const seen = request.headers.get(BOOKMARK);
  const wait = route.waits ? parseWait(request.headers) : 0;
  if (wait > 0) trace.wait = wait;
  const context = { params: named.output, body: body.output, partner, shard, seen, wait, config, env };
  const answer = await route.handle(context);
  return 'code' in answer ? answer : notModified(answer, request);
}

async function runForOperator(
  route: AdminRoute,
  request: Request,
  env: Env,
  config: Config,
  trace: RequestLog,
): Promise<Reply | Refusal> {
  if (config.admin === undefined) return refuse('not_found');
  const refusal = await authorizeOperator(request, config.admin, env, trace);
  if (refusal !== undefined) return refusal;
  const query = readQuery(route.query, request);
  if ('code' in query) return query;
  const body = await readBody(route.body, request);
  return 'code' in body ? body : route.handle({ query: query.output, body: body.output, config, env });
}

function readQuery(schema: GenericSchema, { url }: Request): { output: unknown } | Refusal {
  const given = [...new URL(url).searchParams];
  const query = Object.fromEntries(given);
  return given.length === Object.keys(query).length ? validate(schema, query) : PARAMETER_TWICE;
}

const PARAMETER_TWICE = refuse('invalid_request', {
  errors: [{ pointer: '', detail: 'must not have a parameter twice' }],
});

async function readBody(schema: GenericSchema | undefined, request: Request): Promise<{ output: unknown } | Refusal> {
  if (schema === undefined) return { output: undefined };
  const json = await readJson(request);
  return 'code' in json ? json : validate(schema, json.value);
}

/** itty-router leaves parameters percent-encoded; what cannot be decoded stays as it is, and is no valid name. */
function decoded(params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decode(value)]));
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
