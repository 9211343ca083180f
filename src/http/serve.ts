import { type Config, configOf } from '../config/config.ts';
import { log, logFault, logSuccess } from '../log/log.ts';
import { patient } from '../store/d1-circuit-breaker.ts';
import { shardsOf } from '../store/shards.ts';
import { corsHeaders } from './protocol/cors.ts';
import { problemOf, type Refusal, refuse } from './protocol/problem.ts';
import { isTransient } from './protocol/transient-error.ts';
import { refuseUnavailable } from './protocol/unavailable.ts';
import type { RequestLog } from './request-log.ts';
import type { Reply } from './route.ts';
import { type Dispatch, dispatcher } from './router.ts';
import { ROUTES } from './routes.ts';

const dispatchers = new WeakMap<Config, Dispatch>();

function dispatcherOf(config: Config): Dispatch {
  const dispatch = dispatchers.get(config) ?? dispatcher(ROUTES, config);
  dispatchers.set(config, dispatch);
  return dispatch;
}

/** Answers a request: always with a request id, and with a problem document for everything that is not a success. */
export async function serve(request: Request, env: Env): Promise<Response> {
  const started = Date.now();
  const requestId = crypto.randomUUID();
  const trace: RequestLog = {};
  const answer = await answerTo(request, env, requestId, trace);
  const { body, ...init } = 'code' in answer ? problemOf(answer, requestId) : jsonOf(answer);
  const { method, url } = request;
  const secure = url.startsWith('https:') ? HTTPS_ONLY : undefined;
  const headers = { ...ALWAYS, ...init.headers, ...secure, 'x-request-id': requestId };
  const told = { requestId, method, ...trace, status: init.status };
  const ms = Date.now() - started;
  if ('code' in answer) log('request', { ...told, code: answer.code, ms });
  else logSuccess('request', requestId, shareOf(trace, env), { ...told, pass: answer.pass, ms });
  return new Response(method === 'HEAD' ? null : body, { ...init, headers });
}

/** What the operator does is told in full. Something was answered: the configuration is there. */
function shareOf({ route }: RequestLog, env: Env): number {
  return route?.startsWith('/admin') ? 1 : configOf(env).logSuccesses;
}

/** An answer is about one moment and one caller unless it says otherwise; no browser may take it for anything but what it is. */
const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
/** RFC 6797 §7.2: only where the request came by TLS. */
const HTTPS_ONLY = { 'strict-transport-security': 'max-age=31536000' };

async function answerTo(request: Request, env: Env, requestId: string, trace: RequestLog): Promise<Reply | Refusal> {
  const failed = (fault: unknown) => {
    logFault('request-failed', fault, { requestId });
    return isTransient(fault) ? refuseUnavailable() : refuse('internal_error');
  };
  let config: Config;
  try {
    config = configOf(env);
  } catch (fault) {
    return failed(fault);
  }
  const answer = await dispatcherOf(config)(request, withPatience(env), trace).catch(failed);
  return {
    ...answer,
    headers: { ...answer.headers, ...corsHeaders(request, config.corsOrigins, answer.headers?.vary) },
  };
}

const patientEnvs = new WeakMap<Env, Env>();

/** A request waits for the read model only so long: the pass objects have what matters. */
function withPatience(env: Env): Env {
  const known = patientEnvs.get(env);
  if (known !== undefined) return known;
  const databases = shardsOf(env).map(({ name, db }) => [name, patient(db)]);
  const patientEnv: Env = { ...env, ...Object.fromEntries(databases) };
  patientEnvs.set(env, patientEnv);
  return patientEnv;
}

function jsonOf({ status, body, headers }: Reply) {
  return { status, body, headers: { ...(body !== null && { 'content-type': 'application/json' }), ...headers } };
}
