import { isParsable, readText } from '../../../packages/client/src/bounded-text.ts';
import { AnswerTooLarge } from '../../../packages/client/src/errors.ts';
import { awaitNewToken, currentSession, hasToken } from '../session/session.ts';
import { SERVICE } from '../settings.ts';
import { describeProblem, type Problem } from './problem.ts';

/** A refusal of the service. `status` is 0 if there was no complete answer. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly oldest: number | undefined;
  readonly retryAfter: number;
  constructor(problem: Problem, retryAfter = 0) {
    super(describeProblem(problem));
    this.status = problem.status;
    this.code = problem.code;
    this.requestId = problem.requestId;
    this.oldest = problem.oldest;
    this.retryAfter = retryAfter;
  }
}

/** Returns the milliseconds to wait after a refusal of too many requests; undefined for any other fault. */
export const waitAfter = (fault: unknown) =>
  fault instanceof ApiError && fault.status === 429 ? Math.max(1, fault.retryAfter) * 1_000 : undefined;

interface CallOptions {
  /** JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** The last token that the service has accepted. */
let acceptedToken: string | undefined;

/**
 * Returns the body of the answer. It waits for a new sign-in if there is no valid token. Throws ApiError.
 * @param signal Aborts the request.
 */
export async function call<Answer>(method: string, path: string, { body, signal }: CallOptions = {}): Promise<Answer> {
  if (!hasToken()) await awaitNewToken();
  // The person may have canceled while the call waited.
  signal?.throwIfAborted();
  const { token } = currentSession() ?? { token: '' };
  const response = await send(method, path, { token, body, signal });
  if (response.ok) acceptedToken = token;
  const isCurrent = hasToken() && currentSession()?.token === token;
  // Another sign-in would not help if the service has never accepted the token.
  if (response.status !== 401 || (isCurrent && token !== acceptedToken)) return read<Answer>(response);
  if (isCurrent) await awaitNewToken();
  return call(method, path, { body, signal });
}

export const get = <Answer>(path: string, signal?: AbortSignal) => call<Answer>('GET', path, { signal });
export const post = <Answer>(path: string, body?: unknown, signal?: AbortSignal) =>
  call<Answer>('POST', path, { body, signal });

/** Returns all pages of a list. `path` has a query. Throws if a page comes again, as from a cache that ignores the query. */
export async function getPages<Page extends { readonly next: string | number | null }>(
  path: string,
  signal?: AbortSignal,
): Promise<Page[]> {
  const pages: Page[] = [];
  const cursors = new Set<string | number | undefined>();
  for (let after: string | number | null | undefined; after !== null; after = pages.at(-1)?.next ?? null) {
    if (cursors.has(after)) throw new Error('The answer is an earlier page of the list. Reload the page.');
    cursors.add(after);
    pages.push(await get<Page>(after === undefined ? path : `${path}&after=${encodeURIComponent(after)}`, signal));
  }
  return pages;
}

function send(method: string, path: string, { token, body, signal }: CallOptions & { readonly token: string }) {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const init = { method, headers, signal: signal ?? null, body: body === undefined ? null : JSON.stringify(body) };
  return fetch(new URL(path, SERVICE), init).catch(refuseUnanswered);
}

/** Nobody knows whether the service has done the work of a request without a complete answer. */
function refuseUnanswered(error: unknown): never {
  if (isAbort(error) || error instanceof AnswerTooLarge) throw error;
  throw new ApiError({ status: 0, detail: 'The service does not answer. Check your connection.' });
}

export const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError';

async function read<Answer>(response: Response): Promise<Answer> {
  const text = await readText(response, response.url).catch(refuseUnanswered);
  if (!isParsable(text)) throw new ApiError({ status: response.status, detail: 'This is no answer of the service.' });
  if (response.ok) return text === '' ? (undefined as Answer) : parse(text);
  const retryAfter = Number(response.headers.get('retry-after') ?? 0);
  const requestId = response.headers.get('x-request-id') ?? undefined;
  try {
    throw new ApiError(JSON.parse(text), retryAfter);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const detail = `The service answered ${response.status} without a reason.`;
    throw new ApiError({ status: response.status, detail, requestId }, retryAfter);
  }
}

function parse<Answer>(text: string): Answer {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuseUnanswered(error);
  }
}

export const passPath = ({ type, network }: { readonly type: string; readonly network: string }, wallet: string) =>
  ['pass', type, network, wallet].map(encodeURIComponent).join('/');
