import { type IRequest, Router } from 'itty-router';
import type { Config } from '../config/config.ts';
import { authorize } from './authorize.ts';
import { readJson } from './body.ts';
import { type Refusal, refuse } from './problem.ts';
import type { PartnerRoute, Reply, Route } from './route.ts';
import { validate } from './validate.ts';

/** What became of a request, and of which route and partner: for the answer and for the log. */
export interface Outcome {
  readonly answer: Reply | Refusal;
  readonly route?: string;
  readonly client?: string;
}

export type Dispatch = (request: Request, env: Env) => Promise<Outcome>;

/** The routes under the configured base path. Unknown paths and methods are refused here. */
export function dispatcher(routes: readonly Route[], config: Config): Dispatch {
  const router = Router<IRequest, [env: Env], Promise<Outcome>>({ base: config.basePath });
  for (const route of routes) {
    const handler = (request: IRequest, env: Env) =>
      run(route, request as unknown as Request, request.params, env, config);
    router[methodOf(route)](route.path, handler);
  }
  return async (request, env) =>
    (await router.fetch(request as unknown as IRequest, env)) ?? { answer: noRoute(router.routes, request) };
}

const methodOf = ({ method }: Route) => method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';

type Entries = readonly (readonly [method: string, path: RegExp, ...unknown[]])[];

function noRoute(entries: Entries, { url }: Request): Refusal {
  const { pathname } = new URL(url);
  const allowed = entries.filter(([, path]) => path.test(pathname)).map(([method]) => method);
  if (allowed.length === 0) return refuse('not_found');
  return refuse('method_not_allowed', { headers: { allow: allowed.join(', ') } });
}

async function run(
  route: Route,
  request: Request,
  rawParams: Readonly<Record<string, string>>,
  env: Env,
  config: Config,
): Promise<Outcome> {
  if (route.scope === 'public') return { route: route.path, answer: route.handle() };
  const authorized = await authorize(request, route.scope, config, env);
  if ('code' in authorized) return { route: route.path, answer: authorized };
  const { partner } = authorized;
  const input = await readInput(route, request, rawParams);
  const answer = 'code' in input ? input : await route.handle({ ...input, partner, config, env });
  return { route: route.path, client: partner.clientId, answer };
}

async function readInput(
  route: PartnerRoute,
  request: Request,
  rawParams: Readonly<Record<string, string>>,
): Promise<{ params: unknown; body: unknown } | Refusal> {
  const params = validate(route.params, decoded(rawParams));
  if ('code' in params) return params;
  if (route.body === undefined) return { params: params.output, body: undefined };
  const json = await readJson(request);
  if ('code' in json) return json;
  const body = validate(route.body, json.value);
  return 'code' in body ? body : { params: params.output, body: body.output };
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
