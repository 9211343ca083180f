import { type Config, configOf } from '../config/config.ts';
import { log, logFault } from '../log/log.ts';
import { patient } from '../store/patient.ts';
import { unavailable } from './authorize.ts';
import { isPassing } from './passing-fault.ts';
import { problemResponse, type Refusal, refuse } from './problem.ts';
import type { Reply } from './route.ts';
import { ROUTES } from './route-table.ts';
import { type Dispatch, dispatcher, type Trace } from './router.ts';

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
  const trace: Trace = {};
  const answer = await dispatch(request, env, requestId, trace);
  const response = 'code' in answer ? problemResponse(answer, requestId) : jsonResponse(answer);
  response.headers.set('x-request-id', requestId);
  response.headers.set('cache-control', 'no-store');
  response.headers.set('x-content-type-options', 'nosniff');
  const { method } = request;
  const outcome = 'code' in answer ? { code: answer.code } : { pass: answer.pass };
  log('request', { requestId, method, ...trace, status: response.status, ...outcome, ms: Date.now() - started });
  return response;
}

async function dispatch(request: Request, env: Env, requestId: string, trace: Trace): Promise<Reply | Refusal> {
  try {
    return await dispatcherOf(configOf(env))(request, withPatience(env), trace);
  } catch (fault) {
    logFault('request-failed', fault, { requestId });
    return isPassing(fault) ? unavailable() : refuse('internal_error');
  }
}

const patientEnvs = new WeakMap<Env, Env>();

/** A request waits for the read model only so long: the pass objects have what matters. */
function withPatience(env: Env): Env {
  const patientEnv = patientEnvs.get(env) ?? { ...env, DB: patient(env.DB) };
  patientEnvs.set(env, patientEnv);
  return patientEnv;
}

function jsonResponse({ status, body }: Reply): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/json' } });
}
