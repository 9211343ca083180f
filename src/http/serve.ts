import { type Config, configOf } from '../config/config.ts';
import { log, logFault } from '../log/log.ts';
import { unavailable } from './authorize.ts';
import { isPassing } from './passing-fault.ts';
import { problemResponse, refuse } from './problem.ts';
import { ROUTES } from './route-table.ts';
import { type Dispatch, dispatcher, type Outcome } from './router.ts';

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
  const { answer, route, client } = await dispatch(request, env, requestId);
  const response = 'code' in answer ? problemResponse(answer, requestId) : jsonResponse(answer.status, answer.body);
  response.headers.set('x-request-id', requestId);
  response.headers.set('cache-control', 'no-store');
  response.headers.set('x-content-type-options', 'nosniff');
  const code = 'code' in answer ? answer.code : undefined;
  const { method } = request;
  log('request', { requestId, method, route, status: response.status, code, client, ms: Date.now() - started });
  return response;
}

async function dispatch(request: Request, env: Env, requestId: string): Promise<Outcome> {
  try {
    return await dispatcherOf(configOf(env))(request, env);
  } catch (fault) {
    logFault('request-failed', fault, { requestId });
    return { answer: isPassing(fault) ? unavailable() : refuse('internal_error') };
  }
}

function jsonResponse(status: number, body: string): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/json' } });
}
