import { logFault } from '../../log/log.ts';
import type { Refusal } from '../protocol/problem.ts';
import type { Reply } from '../protocol/reply.ts';
import { refuseUnavailable } from '../protocol/transient-error.ts';

/** Browsers may keep what changes with a release only; soon they ask whether it has changed. */
export const CACHE_ONE_MINUTE = { 'cache-control': 'public, max-age=60, must-revalidate' };

/**
 * Answers with a static file of the Worker: with the type and the ETag that the platform gives it, 304 for who has it. 503 when
 * the platform does not give it.
 */
export async function replyAsset(
  path: string,
  { assets, request }: { readonly assets: Fetcher; readonly request: Request },
  more: Readonly<Record<string, string>> = {},
): Promise<Reply | Refusal> {
  const { method, headers } = request;
  const file = await fetchAsset(path, assets, {
    method,
    headers: { 'if-none-match': headers.get('if-none-match') ?? '' },
  });
  if (file === undefined) return refuseUnavailable();
  const { status, body } = file;
  const header = (name: string) => file.headers.get(name) ?? '';
  const type = status === 200 && { 'content-type': header('content-type') };
  return { status, body, headers: { ...type, etag: header('etag'), ...CACHE_ONE_MINUTE, ...more } };
}

/** A static file; undefined, and a line in the log, when the platform does not give it. */
export async function fetchAsset(path: string, assets: Fetcher, init?: RequestInit): Promise<Response | undefined> {
  try {
    // Only the path counts.
    const answer = await assets.fetch(new Request(`https://assets.invalid${path}`, init));
    if (answer.status === 200 || answer.status === 304) return answer;
    throw new Error(`${path}: ${answer.status}`);
  } catch (fault) {
    logFault('assets', fault);
    return undefined;
  }
}
