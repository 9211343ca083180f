/** Which pages of other sites may call from a browser (Fetch standard, "CORS protocol"): none but those configured. */

/** What a page may read of an answer beside its body. */
const EXPOSED = 'Gatepass-Bookmark, X-Request-Id, Retry-After, WWW-Authenticate, ETag, Preference-Applied';
const PREFLIGHT = {
  'access-control-allow-headers': 'Authorization, Content-Type, Gatepass-Bookmark, If-None-Match, Prefer',
  'access-control-max-age': '3600',
};

/** Headers of every answer; `varies`: with what it varies besides. */
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

/** Headers of the answer to a browser that asks what it may send; undefined when nobody may ask so. */
export function preflightHeaders(
  { method, headers }: Request,
  origins: readonly string[],
  methods: string,
): Record<string, string> | undefined {
  const asks = method === 'OPTIONS' && headers.has('access-control-request-method');
  if (!asks || !origins.includes(headers.get('origin') ?? '')) return undefined;
  return { ...PREFLIGHT, 'access-control-allow-methods': methods };
}
