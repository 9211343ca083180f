import type { Config } from '../config/config.ts';
import { configOf } from '../config/parse-config.ts';
import { ConfigError } from '../config/variable.ts';
import { REQUEST_MAX_MS } from '../counts/counted.ts';
import { count, countRequest, sendCounts, time } from '../counts/counts.ts';
import { type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { logSampled, shareOfLines } from '../log/log.ts';
import { openBackend, storeListeners } from '../operations/backend.ts';
import { openRequestStore } from '../store/store.ts';
import { MANAGING_PATHS, PARTNER_ROUTES } from './partner-routes.ts';
import { corsHeaders } from './protocol/cors.ts';
import { problemOf, type Refusal } from './protocol/problem.ts';
import { isRefusal, type Reply, type RequestLog } from './protocol/reply.ts';
import { type Dispatch, type LoadRoutes, openRouter, refuseFault } from './router.ts';

interface Server {
  readonly config: Config;
  readonly dispatch: Dispatch;
}

const servers = new WeakMap<Env, Server>();

const loadManagingRoutes = async () => (await import('./managing-routes.ts')).MANAGING_ROUTES;

/** Returns the server of an environment, which it opens once. Throws ConfigError. */
function serverOf(env: Env, loadOperatorRoutes: LoadRoutes): Server {
  const known = servers.get(env);
  if (known !== undefined) return known;
  const config = configOf(env);
  const store = openRequestStore(env, storeListeners(env));
  const limits = {
    address: env.ADDRESS_LIMIT,
    read: env.READ_LIMIT,
    write: env.WRITE_LIMIT,
    bulk: env.BULK_LIMIT,
  };
  const service = { config, limits, backend: openBackend(env, store), assets: env.ASSETS };
  const rooms = [
    ...MANAGING_PATHS.map((path) => ({ path, load: loadManagingRoutes })),
    ...(config.admin === undefined ? [] : [{ path: 'admin', load: loadOperatorRoutes }]),
  ];
  const server = { config, dispatch: openRouter(PARTNER_ROUTES, service, rooms) };
  servers.set(env, server);
  return server;
}

/**
 * Responds to a request: always with a request id, and with a problem document unless it succeeds.
 * @param loadOperatorRoutes Loads the routes under `/admin`, for the first request to one of them.
 */
export async function serve(request: Request, env: Env, loadOperatorRoutes: LoadRoutes): Promise<Response> {
  const started = Date.now();
  const requestId = crypto.randomUUID();
  const requestLog: RequestLog = { request_id: requestId };
  const outcome = await answerTo(request, env, requestLog, loadOperatorRoutes);
  const refusal = isRefusal(outcome) ? outcome : undefined;
  const { method } = request;
  const { body, status, headers } = isRefusal(outcome) ? problemOf(outcome, requestId) : outcome;
  const { mayChange: _, partner: __, ...facts } = requestLog;
  const duration_ms = Date.now() - started;
  countAnswer(method, requestLog, status, refusal, duration_ms);
  sendCounts(env);
  const result = isRefusal(outcome) ? { code: outcome.code } : { pass: outcome.pass };
  const share = isRefusal(outcome) ? shareOfRefusals(requestLog) : shareOf(requestLog, env);
  logSampled('request.answered', requestId, share, { method, ...facts, status, ...result, duration_ms });
  return new Response(method === 'HEAD' ? null : body, {
    status,
    headers: {
      ...ALWAYS,
      ...(body !== null && JSON_TYPE),
      ...headers,
      ...(request.url.startsWith('https:') && HTTPS_ONLY),
      'x-request-id': requestId,
    },
  });
}

/**
 * Returns the share of successes to log. Logs every request of the operator, and every request that may change something. Only a preflight
 * succeeds without a configuration.
 */
function shareOf({ route, mayChange }: RequestLog, env: Env): number {
  if (mayChange || route?.startsWith('/admin')) return 1;
  return servers.get(env)?.config.logSuccesses ?? shareOfLines('');
}

/**
 * Returns the share of refusals to log. Logs every one of an operator, and of a partner whose request may change something. Nobody may
 * fill the log with others, as everybody can cause them.
 */
function shareOfRefusals({ route, mayChange, client, sub, partner }: RequestLog): number {
  const isOperator = client !== undefined && route?.startsWith('/admin');
  // All persons of the console have one client.
  return isOperator || (partner !== undefined && mayChange) ? 1 : shareOfLines(`${client ?? ''} ${sub ?? ''}`);
}

/** By default, a reply is valid for one moment and one caller. No browser may guess another content type. */
const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
const JSON_TYPE = { 'content-type': 'application/json' };
/** RFC 6797 §7.2: only if the request used TLS. */
const HTTPS_ONLY = { 'strict-transport-security': 'max-age=31536000' };

async function answerTo(
  request: Request,
  env: Env,
  requestLog: RequestLog,
  loadOperatorRoutes: LoadRoutes,
): Promise<Reply | Refusal> {
  let server: Server;
  try {
    server = serverOf(env, loadOperatorRoutes);
  } catch (fault) {
    const refusal = refuseFault(fault, requestLog);
    if (!(fault instanceof ConfigError)) return refusal;
    const { refuseUnconfigured } = await import('./protocol/refuse-unconfigured.ts');
    return refuseUnconfigured(fault, request, env);
  }
  const outcome = await server.dispatch(request, requestLog);
  const { corsOrigins } = server.config;
  if (corsOrigins.length === 0) return outcome;
  return { ...outcome, headers: { ...outcome.headers, ...corsHeaders(request, corsOrigins, outcome.headers) } };
}

/** Counts a request by the template of its route, never by its path: a caller could otherwise choose the labels. */
function countAnswer(
  method: string,
  { route = '', partner, wait_s = 0 }: RequestLog,
  status: number,
  refusal: Refusal | undefined,
  durationMs: Milliseconds,
): void {
  const verb = route === '' ? '' : method === 'HEAD' ? 'GET' : method;
  countRequest(route, verb, `${Math.floor(status / 100)}xx`, partner);
  if (refusal !== undefined) count('refusals', [refusal.code]);
  // The wait is what the caller asked for.
  if (wait_s === 0) time('requestSeconds', [route, verb], durationMs / SECOND_MS);
  const isLate = status < 400 && durationMs > REQUEST_MAX_MS + wait_s * SECOND_MS;
  // Everybody can demand a check that is fresher than the service can be, and invent the key of a token.
  const isFault = status >= 500 && refusal?.code !== 'not_fresh_enough' && !refusal?.isCallersDoing;
  if (isLate || isFault) count('requestsFailed', [route, verb]);
}
