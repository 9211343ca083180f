/**
 * Returns the headers of a page. It may show its own files, and call this service and the given origins. It may do nothing else.
 * @param urls URLs whose origins the page may call; undefined ones are ignored.
 */
export function pageHeaders(urls: readonly (string | undefined)[] = []): Record<string, string> {
  const origins = new Set(urls.flatMap((url) => (url === undefined ? [] : new URL(url).origin)));
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...origins].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  };
}
