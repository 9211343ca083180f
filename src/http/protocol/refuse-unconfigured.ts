import { Origins } from '../../config/parse-config.ts';
import { type ConfigError, parseVariable } from '../../config/variable.ts';
import { corsHeaders, preflightReply } from './cors.ts';
import { type Refusal, refuse } from './problem.ts';
import type { Reply } from './reply.ts';

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const LOCALLY =
  'The configuration of the service is missing or wrong, and its log says why. For `npx wrangler dev`, restore the variables with ' +
  '`git checkout .dev.vars`, and start it again. Or run `npm run dev`, which sets its own.';
/** The maximum in the description of the API. */
const ERRORS_MAX = 20;

/**
 * Refuses a request of a Worker without a valid configuration, on every path. Only the checks of health name the variables, only the log has
 * the complaints, and nothing has a value.
 */
export function refuseUnconfigured(fault: ConfigError, request: Request, env: object): Refusal | Reply {
  const values = env as Readonly<Record<string, unknown>>;
  const { pathname, hostname } = new URL(request.url);
  const errors = fault.variables.map((name) => ({
    pointer: `/${name}`,
    detail: (values[name] ?? '') === '' ? 'is missing' : 'is wrong',
  }));
  const refusal = refuse('not_configured', {
    detail: LOOPBACK.test(hostname) ? LOCALLY : undefined,
    errors: /\/health(\/ready)?$/.test(pathname) ? errors.slice(0, ERRORS_MAX) : undefined,
    headers: { 'retry-after': '60' },
  });
  const origins = corsOriginsIn(values);
  if (origins.length === 0) return refusal;
  const outcome = preflightReply(request, origins, 'GET, HEAD, POST, PATCH, DELETE') ?? refusal;
  return { ...outcome, headers: { ...outcome.headers, ...corsHeaders(request, origins, outcome.headers) } };
}

/** Returns the origins whose pages may read the refusal; none if `CORS_ORIGINS` is wrong too. */
function corsOriginsIn(env: Readonly<Record<string, unknown>>): readonly string[] {
  try {
    return parseVariable(env, 'CORS_ORIGINS', Origins);
  } catch {
    return [];
  }
}
