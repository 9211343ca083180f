/** Only pages of the configured origins may call the service from a browser (Fetch standard, "CORS protocol"). */

/** Response headers that a page may read. */
const EXPOSED = 'Gatepass-Bookmark, X-Request-Id, Retry-After, WWW-Authenticate, ETag, Preference-Applied';
const PREFLIGHT = {
  'access-control-allow-headers': 'Authorization, Content-Type, Gatepass-Bookmark, If-None-Match, Prefer',
  'access-control-max-age': '3600',
};

/** Returns the CORS headers of a response. `varies` is the `Vary` that the response already has. */
export function corsHeaders(
  { headers }: Request,
  origins: readonly string[],
  varies: string | undefined,
): Record<string, string> {
  if (origins.length === 0) return {};
  const origin = headers.get('origin');
  const vary = varies === undefined ? 'Origin' : `${varies}, Origin`;
  if (origin === null || !origins.includes(origin)) return { vary };
  return { vary, 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED };
}

/** Returns the headers of the response to a preflight; undefined if the request is not one, or its origin is not allowed. */
export function preflightHeaders(
  { method, headers }: Request,
  origins: readonly string[],
  methods: string,
): Record<string, string> | undefined {
  const asks = method === 'OPTIONS' && headers.has('access-control-request-method');
  if (!asks || !origins.includes(headers.get('origin') ?? '')) return undefined;
  return { ...PREFLIGHT, 'access-control-allow-methods': methods };
}
