import type { Refusal } from './problem.ts';
import { isRefusal, type Reply } from './reply.ts';

/**
 * Only pages of the configured origins may call the service from a browser (Fetch standard, "CORS protocol"). Some public routes are
 * open to pages of every origin.
 */

/** Response headers that a page may read. */
const EXPOSED = 'Gatepass-Bookmark, X-Request-Id, Retry-After, WWW-Authenticate, ETag, Preference-Applied, Sunset';
const PREFLIGHT = {
  'access-control-allow-headers': 'Authorization, Content-Type, Gatepass-Bookmark, If-None-Match, Prefer',
  'access-control-max-age': '3600',
};

const ALLOWED = 'access-control-allow-origin';

/** Returns the CORS headers of a response, in addition to its own headers. */
export function corsHeaders(
  { headers }: Request,
  origins: readonly string[],
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  if (ALLOWED in own) return {};
  const { vary: varies } = own;
  const origin = headers.get('origin');
  const vary = varies === undefined ? 'Origin' : `${varies}, Origin`;
  if (origin === null || !origins.includes(origin)) return { vary };
  return { vary, [ALLOWED]: origin, 'access-control-expose-headers': EXPOSED };
}

/** Returns the outcome of an open route. A refusal that is the same as for an unknown path stays so. */
export function allowAnyOrigin(outcome: Reply | Refusal): Reply | Refusal {
  if (isRefusal(outcome) && outcome.code === 'not_found') return outcome;
  return { ...outcome, headers: { ...outcome.headers, [ALLOWED]: '*', 'access-control-expose-headers': EXPOSED } };
}

/** Returns the response to a preflight; undefined if the request is not one, or its origin is not allowed. */
export function preflightReply(
  { method, headers }: Request,
  origins: readonly string[] | 'any',
  methods: string,
): Reply | undefined {
  const asks = method === 'OPTIONS' && headers.has('access-control-request-method');
  if (!asks || (origins !== 'any' && !origins.includes(headers.get('origin') ?? ''))) return undefined;
  return { status: 204, body: null, headers: { ...PREFLIGHT, 'access-control-allow-methods': methods } };
}
