import { type IRequest, Router } from 'itty-router';
import type { GenericSchema } from 'valibot';
import type { Config } from '../config/config.ts';
import { authorize, authorizeOperator } from './authorize.ts';
import { readJson } from './body.ts';
import { preflightHeaders } from './cors.ts';
import { limitAddress } from './limits.ts';
import { type Refusal, refuse } from './problem.ts';
import type { AdminRoute, Reply, Route } from './route.ts';
import { validate } from './validate.ts';

/** How far a request has come, for the log: filled in on its way, so that it is known also where a fault ends it. */
export interface Trace {
  route?: string;
  client?: string;
}

export type Dispatch = (request: Request, env: Env, trace: Trace) => Promise<Reply | Refusal>;

/** The routes under the configured base path. Unknown paths and methods are refused here. */
export function dispatcher(routes: readonly Route[], config: Config): Dispatch {
  const router = Router<IRequest, [env: Env, trace: Trace], Promise<Reply | Refusal>>();
  for (const route of routes.filter(({ scope }) => scope !== 'admin' || config.admin !== undefined)) {
    const handler = (request: IRequest, env: Env, trace: Trace) => {
      trace.route = route.path;
      return run(route, request, env, config, trace);
    };
    router[methodOf(route)](pathOf(route, config), handler);
  }
  return async (request, env, trace) =>
    (await limitAddress(request, env)) ??
    (await router.fetch(asGet(request) as unknown as IRequest, env, trace)) ??
    noRoute(router.routes, request, config);
}

const methodOf = ({ method }: Route) => method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';

function pathOf({ path, wellKnown }: Route, { basePath }: Config): string {
  return wellKnown ? path + basePath : basePath + path;
}

/** HEAD asks for what GET would answer, without its body (RFC 9110 §9.3.2). */
function asGet(request: Request): Request {
  return request.method === 'HEAD' ? new Request(request, { method: 'GET' }) : request;
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

async function run(route: Route, itty: IRequest, env: Env, config: Config, trace: Trace): Promise<Reply | Refusal> {
  const request = itty as unknown as Request;
  if (route.scope === 'public') return route.handle({ config, origin: new URL(request.url).origin });
  if (route.scope === 'admin') return runForOperator(route, request, itty.query, env, config, trace);
  const authorized = await authorize(request, route.scope, config, env);
  if ('code' in authorized) return authorized;
  const { partner } = authorized;
  trace.client = partner.clientId;
  const params = validate(route.params, decoded(itty.params));
  if ('code' in params) return params;
  const body = await readBody(route.body, request);
  return 'code' in body ? body : route.handle({ params: params.output, body: body.output, partner, config, env });
}

async function runForOperator(
  route: AdminRoute,
  request: Request,
  rawQuery: unknown,
  env: Env,
  config: Config,
  trace: Trace,
): Promise<Reply | Refusal> {
  if (config.admin === undefined) return refuse('not_found');
  const authorized = await authorizeOperator(request, config.admin, env);
  if ('code' in authorized) return authorized;
  trace.client = authorized.client;
  const query = validate(route.query, { ...Object(rawQuery) });
  if ('code' in query) return query;
  const body = await readBody(route.body, request);
  return 'code' in body ? body : route.handle({ query: query.output, body: body.output, config, env });
}

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
