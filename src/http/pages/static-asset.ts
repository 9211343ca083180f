import { logFault } from '../../log/log.ts';
import { type Refusal, refuseUnavailable } from '../protocol/problem.ts';
import type { Reply } from '../protocol/reply.ts';

/** Caches keep a file for a minute and then revalidate it: files change only with a release. */
export const CACHE_ONE_MINUTE = { 'cache-control': 'public, max-age=60, must-revalidate' };

/** Whether the path ends with a slash. Links of a page are relative to its path without one. */
export const hasSlashAtEnd = ({ url }: Request) => new URL(url).pathname.endsWith('/');

/**
 * Returns a static file of the Worker with the content type and the ETag of the platform, or 304 if the caller already has it.
 * Refuses with 503 if the platform does not return the file.
 * @param mayMiss Whether a caller may have invented the path. Then a missing file is no fault, and the page of the platform for it follows.
 */
export async function replyAsset(
  path: string,
  { assets, request }: { readonly assets: Fetcher; readonly request: Request },
  more: Readonly<Record<string, string>> = {},
  mayMiss = false,
): Promise<Reply | Refusal> {
  const { method, headers } = request;
  const init = { method, headers: { 'if-none-match': headers.get('if-none-match') ?? '' } };
  const file = await fetchAsset(path, assets, init, mayMiss);
  if (file === undefined) return refuseUnavailable();
  const { status, body } = file;
  const header = (name: string) => file.headers.get(name) ?? '';
  const type = status !== 304 && { 'content-type': header('content-type') };
  return { status, body, headers: { ...type, etag: header('etag'), ...CACHE_ONE_MINUTE, ...more } };
}

/** Returns a static file; undefined, after a log line, if the platform does not return it. */
export async function fetchAsset(
  path: string,
  assets: Fetcher,
  init?: RequestInit,
  mayMiss = false,
): Promise<Response | undefined> {
  try {
    // The platform ignores the host.
    const answer = await assets.fetch(new Request(`https://assets.invalid${path}`, init));
    if ([200, 304].includes(answer.status) || (mayMiss && answer.status === 404)) return answer;
    throw new Error(`${path}: ${answer.status}`);
  } catch (fault) {
    logFault('docs.asset_unavailable', fault);
    return undefined;
  }
}

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
