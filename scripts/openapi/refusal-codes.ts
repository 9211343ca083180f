import { PROBLEMS, type ProblemCode } from '../../src/http/protocol/problem.ts';
import type { Route } from '../../src/http/route.ts';

/** What each route may refuse: what it declares, and what is checked before its handler. */

const EVERYWHERE: readonly ProblemCode[] = ['rate_limited', 'internal_error', 'temporarily_unavailable'];
const WITH_TOKEN: readonly ProblemCode[] = ['token_missing', 'token_invalid', 'insufficient_scope'];
const OF_PARTNERS: readonly ProblemCode[] = [...WITH_TOKEN, 'client_unknown', 'partner_suspended'];
const WITH_BODY: readonly ProblemCode[] = [
  'invalid_json',
  'invalid_request',
  'body_too_large',
  'unsupported_media_type',
];
/** Of requests that no route is found for. */
export const OF_NO_ROUTE: readonly ProblemCode[] = ['method_not_allowed'];

/** In the order of the table of problems. */
export function refusalsOf(route: Route): ProblemCode[] {
  const codes = new Set([
    ...EVERYWHERE,
    ...byScope(route),
    ...(hasBody(route) ? WITH_BODY : []),
    ...(route.refuses ?? []),
  ]);
  return (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => codes.has(code));
}

const hasBody = (route: Route) => 'body' in route && route.body !== undefined;

function byScope({ scope }: Route): readonly ProblemCode[] {
  if (scope === 'public') return [];
  // A parameter that is not of the query is refused.
  return scope === 'admin' ? [...WITH_TOKEN, 'invalid_request'] : OF_PARTNERS;
}
