import { Router } from 'itty-router';
import type { GenericSchema } from 'valibot';
import { OPERATOR_TRAIL } from '../audit/entry.ts';
import { logFault } from '../log/log.ts';
import { rulesFor } from '../network/sandbox.ts';
import type { Backend } from '../operations/backend.ts';
import { DAILY_ROOM_OF_WEBHOOKS, NO_BOUND } from '../pass-object/daily-quota.ts';
import { type Access, authorizeOperator, authorizePartner, type Caller } from './access/authorize.ts';
import { besideFewLargeReads, limitAddress, limitLargeRead, limitPartner, mayExplain } from './access/rate-limits.ts';
import { audited } from './audited.ts';
import { refuseQuota } from './pass/pass-requests.ts';
import { allowAnyOrigin, preflightReply } from './protocol/cors.ts';
import { readJson } from './protocol/json-body.ts';
import { type Refusal, refuse, refuseField, refuseUnavailable } from './protocol/problem.ts';
import {
  BOOKMARK,
  isRefusal,
  notModified,
  parseWait,
  type Reply,
  type RequestLog,
  sunsetsOf,
  withSunset,
} from './protocol/reply.ts';
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

/** A request on its way to a route, as itty-router reads it. */
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
  readonly params: Readonly<Record<string, string>>;
}

/** The validated input of a request. */
interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

type Outcome = Reply | Refusal;

export type LoadRoutes = () => Promise<readonly Route[]>;

/** Routes whose paths begin alike, and that load at their first request. */
export interface Room {
  readonly path: string;
  readonly load: LoadRoutes;
}

/**
 * Builds the router: the routes under the base path, and the refusal of unknown paths.
 */
export function openRouter(routes: readonly Route[], service: Service, rooms: readonly Room[] = []): Dispatch {
  const { config, limits } = service;
  const sunsets = sunsetsOf(config.networks);
  const router = Router<Call, [], Outcome>();
  for (const route of routes) {
    const answer = async (call: Call) => {
      const outcome = await answerOf(route, call, service).catch((fault) => refuseFault(fault, call.log));
      const whole = isRefusal(outcome) ? outcome : notModified(outcome, call.request);
      return withSunset(isOpen(route) ? allowAnyOrigin(whole) : whole, call.params, sunsets);
    };
    for (const path of pathsOf(route, service)) {
      router[methodOf(route)](path, answer);
      if (isOpen(route)) router.options(path, answer);
    }
  }
  for (const { path, load } of rooms) {
    let room: Dispatch | undefined;
    router.all(`${config.basePath}/${path}/*`, async ({ request, log }) => {
      room ??= openRouter(await load(), service);
      return room(request, log);
    });
  }
  router.all(
    '*',
    async (call) => (await limitAddress(call.request, limits)) ?? refuseUnknown(router.routes, call, service),
  );
  return (request, log) => router.fetch(callOf(request, log)).catch((fault: unknown) => refuseFault(fault, log));
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

/** Answers a request of a route, after the address limit. */
async function answerOf(route: Route, call: Call, service: Service): Promise<Outcome> {
  const { request, log } = call;
  log.route = route.path;
  // A search has a body, and reads.
  log.mayChange = route.method !== 'GET' && route.scope !== 'search';
  const limited = await limitAddress(request, service.limits);
  if (limited !== undefined) return limited;
  if (request.method === 'OPTIONS') return preflightOfOpenRoute(request);
  switch (route.scope) {
    case 'public':
      return answerPublic(route, call, service);
    case 'admin':
      return answerOperator(route, call, service);
    default:
      return answerPartner(route, call, service);
  }
}

const preflightOfOpenRoute = (request: Request) =>
  preflightReply(request, 'any', OPEN_METHODS) ?? refuse('method_not_allowed', { headers: { allow: OPEN_METHODS } });

/** Whether pages of every origin may read the responses. */
function isOpen(route: Route): boolean {
  return 'anyOrigin' in route;
}

function answerPublic(route: PublicRoute, { request, params }: Call, { config, assets, limits, backend }: Service) {
  const { store, signerObject } = backend;
  const origin = publicOriginOf(request, config);
  return route.handle({ params, request, assets, store, signerObject, config, limits, origin });
}

async function answerPartner(route: PartnerRoute, call: Call, service: Service): Promise<Outcome> {
  const { config, backend, limits } = service;
  const { request, log } = call;
  const caller = await admitPartner(route, call, service);
  if (isRefusal(caller)) return caller;
  const input = await readInput(route, call);
  if (isRefusal(input)) return input;
  const { partner, actor, limitKey } = caller;
  const { clientId, gatekeeperNetwork: trail } = partner;
  const isLarge = route.readsMany?.(input) ?? false;
  const limited = isLarge ? await limitLargeRead(limitKey, limits) : undefined;
  if (limited !== undefined) return limited;
  const { headers } = request;
  const waitSeconds = route.waits ? parseWait(headers) : 0;
  if (waitSeconds > 0) log.wait_s = waitSeconds;
  const { request_id: requestId } = log;
  const asking = { waitSeconds, mayExplain: () => mayExplain(limitKey, limits), bookmark: headers.get(BOOKMARK) };
  const context = { backend, config, partner, actor, requestId, ...asking };
  const handle = () => route.handle({ ...input, ...context });
  if (isLarge) return besideFewLargeReads(clientId, handle);
  if (route.action === undefined) return handle();
  const { action } = route;
  const isLoss = route.isLoss?.(input) ?? false;
  return (isLoss ? auditedLoss : auditedInRoom)({ trail, action, actor, requestId, input, isLoss }, backend, handle);
}

/** Returns the partner that calls the route, within its limits. */
async function admitPartner(
  { scope, bulk, sandbox }: PartnerRoute,
  { request, log }: Call,
  service: Service,
): Promise<Caller | Refusal> {
  const limit = bulk ? 'bulk' : scope === 'search' ? 'read' : 'write';
  const caller = await authorizePartner(request, { scope, limit }, service, log);
  if (isRefusal(caller)) return caller;
  if (!rulesFor(caller.partner.gatekeeperNetwork).hasClock) return sandbox ? refuse('not_found') : caller;
  return (limit === 'read' ? await limitPartner(caller.limitKey, 'write', service.limits) : undefined) ?? caller;
}

/** Counts the entry for the day of the gatekeeper network first, because it takes room even if the route refuses the change. */
async function auditedInRoom(...[action, backend, run]: Parameters<typeof audited>) {
  const { trail, requestId } = action;
  const refusal = await backend.countRoom(trail, `action ${requestId}`, DAILY_ROOM_OF_WEBHOOKS);
  return refusal === undefined ? audited(action, backend, run) : refuseQuota(refusal);
}

/** A loss of access comes first, and nothing refuses it. Its entry counts for the day, and a repetition has none. */
async function auditedLoss(...[action, backend, run]: Parameters<typeof audited>) {
  const outcome = await run();
  if (isRefusal(outcome) || outcome.audit === undefined) return outcome;
  await backend.countRoom(action.trail, `action ${action.requestId}`, NO_BOUND);
  return audited(action, backend, async () => outcome);
}

async function answerOperator(route: AdminRoute, call: Call, service: Service): Promise<Outcome> {
  const { config, assets, backend } = service;
  const { admin } = config;
  const { request, log } = call;
  if (admin === undefined) return refuse('not_found');
  const actor = await authorizeOperator(request, { admin, rights: rightsOf(route) }, service, log);
  if (isRefusal(actor)) return actor;
  const input = await readInput(route, call);
  if (isRefusal(input)) return input;
  const { request_id: requestId } = log;
  const origin = publicOriginOf(request, config);
  const handle = () => route.handle({ ...input, ...backend, config, assets, origin, actor, requestId });
  if (route.action === undefined) return handle();
  return audited({ trail: OPERATOR_TRAIL, action: route.action, actor, requestId, input }, backend, handle);
}

/** Reads what the route takes: path parameters, query and body. A partner's route without a schema ignores the query. */
async function readInput(route: PartnerRoute | AdminRoute, call: Call): Promise<Input | Refusal> {
  const { request } = call;
  const params = validate(route.params ?? NoFields, decodeParams(call.params));
  if (isRefusal(params)) return params;
  const query = readQuery(route.query ?? (route.scope === 'admin' ? NoFields : undefined), request);
  if (isRefusal(query)) return query;
  const body = await readBody(route, request);
  if (isRefusal(body)) return body;
  return { params: params.output, query: query.output, body: body.output };
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
