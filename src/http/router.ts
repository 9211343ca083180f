import { Router, type RouterType } from 'itty-router';
import type { GenericSchema } from 'valibot';
import { type Actor, OPERATOR_TRAIL } from '../audit/entry.ts';
import { logFault } from '../log/log.ts';
import { rulesFor } from '../network/sandbox.ts';
import type { Backend } from '../operations/backend.ts';
import { DAILY_ROOM_OF_WEBHOOKS } from '../pass-object/daily-quota.ts';
import type { Partner } from '../store/partners.ts';
import { type Access, authorizeOperator, authorizePartner } from './access/authorize.ts';
import { besideFewLargeReads, limitAddress, limitLargeRead, limitPartner } from './access/rate-limits.ts';
import { audited } from './audited.ts';
import { refuseQuota } from './pass/pass-requests.ts';
import { allowAnyOrigin, preflightReply } from './protocol/cors.ts';
import { readJson } from './protocol/json-body.ts';
import { type Refusal, refuse, refuseField, refuseUnavailable } from './protocol/problem.ts';
import { BOOKMARK, isRefusal, notModified, parseWait, type Reply, type RequestLog } from './protocol/reply.ts';
import { sunsetsOf, withSunset } from './protocol/sunset.ts';
import { decodeParams, decodeUnreserved, publicOriginOf } from './protocol/url.ts';
import { validate } from './protocol/validate.ts';
import { type AdminRoute, type PartnerRoute, type PublicRoute, type Route, rightsOf } from './route.ts';
import { NoFields } from './schemas/requests.ts';

/** Dependencies of the router and its stages. */
export interface Service extends Access {
  readonly backend: Backend;
  readonly assets: Fetcher;
}

export type Dispatch = (request: Request, log: RequestLog) => Promise<Reply | Refusal>;

/** The call that itty-router passes from stage to stage. A stage adds its result, or ends the call with a reply or a refusal. */
interface Call {
  readonly method: string;
  /**
   * Without the query, because itty-router would parse it in quadratic time before the caller is known. Without needless
   * percent-encoding, like the paths of the routes.
   */
  readonly url: string;
  readonly request: Request;
  readonly log: RequestLog;
  /** itty-router leaves the values percent-encoded. */
  params: Record<string, string>;
  /** The route of the path and method; undefined: there is none. */
  matched?: Route;
}

/** A call of a route that needs a token. */
interface TokenCall extends Call {
  partner: Partner;
  actor: Actor;
  input: { readonly params: unknown; readonly query: unknown; readonly body: unknown };
}

type Outcome = Reply | Refusal | undefined;
type Routes = RouterType<Call, [], Outcome>;

export type LoadRoutes = () => Promise<readonly Route[]>;

/**
 * Builds the router: the address limit and the stages of each route under the base path, and the refusal of unknown paths.
 * @param loadOperatorRoutes Loads the routes under `/admin`, for their first request.
 */
export function openRouter(routes: readonly Route[], service: Service, loadOperatorRoutes?: LoadRoutes): Dispatch {
  const { config } = service;
  const sunsets = sunsetsOf(config.networks);
  const router = Router<Call, [], Outcome>({
    catch: (fault: unknown, { log }: Call) => refuseFault(fault, log),
    finally: [
      (outcome: Outcome, { request, matched, params }: Call) => {
        if (outcome === undefined) return undefined;
        const answer = isRefusal(outcome) ? outcome : notModified(outcome, request);
        return withSunset(matched && isOpen(matched) ? allowAnyOrigin(answer) : answer, params, sunsets);
      },
    ],
  });
  for (const route of routes) {
    for (const path of pathsOf(route, service)) addRoute(router, path, route, service);
  }
  if (config.admin !== undefined && loadOperatorRoutes !== undefined) {
    let operator: Dispatch | undefined;
    router.all(`${config.basePath}/admin/*`, async ({ request, log }) => {
      operator ??= openRouter(await loadOperatorRoutes(), service);
      return operator(request, log);
    });
  }
  router.all('*', limitCaller(service), (call) => refuseUnknown(router.routes, call, service));
  return async (request, log) => (await router.fetch(callOf(request, log))) ?? refuse('not_found');
}

/** Routes HEAD as GET: its response is the same without the body (RFC 9110 §9.3.2). */
function callOf(request: Request, log: RequestLog): Call {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return { method, url: decodeUnreserved(request.url.replace(/[?#].*$/s, '')), request, log, params: {} };
}

const OPEN_METHODS = 'GET, HEAD, OPTIONS';

const methodOf = ({ method }: Route) => method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';

function pathsOf({ path, wellKnown, alsoAtRoot }: Route, { config: { basePath } }: Service): Iterable<string> {
  return new Set([wellKnown ? path + basePath : basePath + path, ...(alsoAtRoot ? [path] : [])]);
}

const limitCaller =
  ({ limits }: Service) =>
  ({ request }: Call) =>
    limitAddress(request, limits);

const noteRoute = (route: Route) => (call: Call) => {
  call.matched = route;
  call.log.route = route.path;
  // A search has a body, and reads.
  call.log.mayChange = route.method !== 'GET' && route.scope !== 'search';
};

function addRoute(router: Routes, path: string, route: Route, service: Service): void {
  const first = [noteRoute(route), limitCaller(service)];
  router[methodOf(route)]<TokenCall>(path, ...first, ...stagesOf(route, service));
  if (isOpen(route)) router.options(path, ...first, preflightOfOpenRoute);
}

/** Returns the stages that follow the address limit. */
function stagesOf(route: Route, service: Service) {
  switch (route.scope) {
    case 'public':
      return publicStages(route, service);
    case 'admin':
      return adminStages(route, service);
    default:
      return partnerStages(route, service);
  }
}

const preflightOfOpenRoute = ({ request }: Call) =>
  preflightReply(request, 'any', OPEN_METHODS) ?? refuse('method_not_allowed', { headers: { allow: OPEN_METHODS } });

/** Whether pages of every origin may read the responses. */
function isOpen(route: Route): boolean {
  return 'anyOrigin' in route;
}

function publicStages(route: PublicRoute, { config, assets, backend: { store, signerObject } }: Service) {
  return [
    ({ request, params }: Call) =>
      route.handle({ params, request, assets, store, signerObject, config, origin: publicOriginOf(request, config) }),
  ];
}

function partnerStages(route: PartnerRoute, service: Service) {
  const { config, backend, limits } = service;
  const { scope, bulk } = route;
  const limit = bulk ? 'bulk' : scope === 'search' ? 'read' : 'write';
  return [
    async (call: TokenCall) => {
      const caller = await authorizePartner(call.request, { scope, limit }, service, call.log);
      if (isRefusal(caller)) return caller;
      const { clientId, gatekeeperNetwork } = caller.partner;
      const { hasClock } = rulesFor(gatekeeperNetwork);
      if (route.sandbox && !hasClock) return refuse('not_found');
      Object.assign(call, caller);
      return hasClock && limit === 'read' ? limitPartner(`partner/${clientId}`, 'write', limits) : undefined;
    },
    (call: TokenCall) => readInput(route, call),
    ({ input, partner }: TokenCall) =>
      route.readsMany?.(input) ? limitLargeRead(partner.clientId, limits) : undefined,
    ({ request: { headers }, log, partner, actor, input }: TokenCall) => {
      const waitSeconds = route.waits ? parseWait(headers) : 0;
      if (waitSeconds > 0) log.wait_s = waitSeconds;
      const bookmark = headers.get(BOOKMARK);
      const { request_id: requestId } = log;
      const handle = () =>
        route.handle({ ...input, ...backend, partner, actor, bookmark, waitSeconds, config, requestId });
      if (route.readsMany?.(input)) return besideFewLargeReads(partner.clientId, handle);
      if (route.action === undefined) return handle();
      const { gatekeeperNetwork: trail } = partner;
      return auditedInRoom({ trail, action: route.action, actor, requestId, input }, backend, handle);
    },
  ];
}

/** Counts the entry for the day of the gatekeeper network first, because it takes room even if the route refuses the change. */
async function auditedInRoom(...[action, backend, run]: Parameters<typeof audited>) {
  const { trail, requestId } = action;
  const refusal = await backend.countRoom(trail, `action ${requestId}`, DAILY_ROOM_OF_WEBHOOKS);
  return refusal === undefined ? audited(action, backend, run) : refuseQuota(refusal);
}

function adminStages(route: AdminRoute, service: Service) {
  const { config, assets, backend } = service;
  return [
    async (call: TokenCall) => {
      const { admin } = config;
      if (admin === undefined) return refuse('not_found');
      const actor = await authorizeOperator(call.request, { admin, rights: rightsOf(route) }, service, call.log);
      if (isRefusal(actor)) return actor;
      call.actor = actor;
    },
    (call: TokenCall) => readInput(route, call),
    ({ request, input, actor, log: { request_id: requestId } }: TokenCall) => {
      const origin = publicOriginOf(request, config);
      const handle = () => route.handle({ ...input, ...backend, config, assets, origin, actor, requestId });
      if (route.action === undefined) return handle();
      return audited({ trail: OPERATOR_TRAIL, action: route.action, actor, requestId, input }, backend, handle);
    },
  ];
}

/** Reads what the route takes: path parameters, query and body. A partner's route without a schema ignores the query. */
async function readInput(route: PartnerRoute | AdminRoute, call: TokenCall): Promise<Refusal | undefined> {
  const { request } = call;
  const params = validate(route.params ?? NoFields, decodeParams(call.params));
  if (isRefusal(params)) return params;
  const query = readQuery(route.query ?? (route.scope === 'admin' ? NoFields : undefined), request);
  if (isRefusal(query)) return query;
  const body = await readBody(route, request);
  if (isRefusal(body)) return body;
  call.input = { params: params.output, query: query.output, body: body.output };
  return undefined;
}

function readQuery(schema: GenericSchema | undefined, { url }: Request): { output: unknown } | Refusal {
  if (schema === undefined) return { output: undefined };
  const given = [...new URL(url).searchParams];
  const query = Object.fromEntries(given);
  return given.length === Object.keys(query).length ? validate(schema, query) : REPEATED_PARAMETER;
}

const REPEATED_PARAMETER = refuseField('', 'must not repeat a parameter');

async function readBody(route: PartnerRoute | AdminRoute, request: Request): Promise<{ output: unknown } | Refusal> {
  const { body: schema } = route;
  if (schema === undefined) return { output: undefined };
  const json = await readJson(request, 'bulk' in route);
  return isRefusal(json) ? json : validate(schema, json.value);
}

type RouteEntries = readonly (readonly [method: string, path: RegExp, ...unknown[]])[];

/** Refuses with 405 and `Allow` if the path exists with other methods, else with 404. Answers preflights of allowed origins. */
function refuseUnknown(entries: RouteEntries, { url, request }: Call, { config }: Service): Refusal | Reply {
  const { pathname } = new URL(url);
  const methods = entries.filter(([method, path]) => method !== 'ALL' && path.test(pathname)).map(([method]) => method);
  if (methods.length === 0) return refuse('not_found');
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return preflightReply(request, config.corsOrigins, allow) ?? refuse('method_not_allowed', { headers: { allow } });
}

/** Logs a fault that a handler threw, and returns the refusal for it. */
export function refuseFault(fault: unknown, { request_id }: { readonly request_id: string }): Refusal {
  logFault('request.failed', fault, { request_id });
  return isTransient(fault) ? refuseUnavailable() : refuse('internal_error');
}

/** Whether a retry may succeed soon. Durable Objects and `LateAnswer` mark such errors with flags, D1 with a prefix of the message. */
function isTransient(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  const { retryable, overloaded } = fault as { retryable?: boolean; overloaded?: boolean };
  return retryable === true || overloaded === true || fault.message.startsWith('D1_ERROR');
}
