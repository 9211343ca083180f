import { PROBLEMS, type ProblemCode } from '../../src/http/protocol/problem.ts';
import type { Route } from '../../src/http/route.ts';
import { operationOf } from './operations.ts';

const ANY_ROUTE: readonly ProblemCode[] = [
  'rate_limited',
  'internal_error',
  'temporarily_unavailable',
  'not_configured',
];
const WITH_TOKEN: readonly ProblemCode[] = ['token_missing', 'token_invalid', 'insufficient_scope'];
const PARTNER_ROUTE: readonly ProblemCode[] = [...WITH_TOKEN, 'client_unknown', 'partner_suspended'];
const WITH_BODY: readonly ProblemCode[] = [
  'invalid_json',
  'invalid_request',
  'body_timeout',
  'body_too_large',
  'unsupported_media_type',
];
/** Codes of requests that match no route. */
export const CODES_WITHOUT_ROUTE: readonly ProblemCode[] = ['method_not_allowed'];

/** Returns the codes that the operation of a route declares and those of the checks before its handler, in the order of `PROBLEMS`. */
export function refusalsOf(route: Route): ProblemCode[] {
  const codes = new Set([
    ...ANY_ROUTE,
    ...scopeCodes(route),
    ...(hasBody(route) ? WITH_BODY : []),
    // For a client of real passes, the routes of a sandbox do not exist.
    ...('sandbox' in route ? (['not_found'] as const) : []),
    ...(operationOf(route)?.refuses ?? []),
  ]);
  return (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => codes.has(code));
}

const hasBody = (route: Route) => 'body' in route && route.body !== undefined;

function scopeCodes({ scope }: Route): readonly ProblemCode[] {
  if (scope === 'public') return [];
  // The query is strict: an unknown parameter is invalid.
  return scope === 'admin' ? [...WITH_TOKEN, 'invalid_request'] : PARTNER_ROUTE;
}
