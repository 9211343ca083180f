import { SERVICE } from './settings.js';
import { awaitNewToken, currentSession, hasToken } from './sign-in.js';

/** A refusal of the service. `status` is 0 if there was no complete answer. `oldest`: the first event that the feed still has. */
export class ApiError extends Error {
  constructor(problem, retryAfter = 0) {
    const { status, code, requestId, oldest } = problem;
    super(describeProblem(problem));
    Object.assign(this, { status, code, requestId, oldest, retryAfter });
  }
}

/** Returns the detail of a problem with its fields, without the number of the item in a bulk request. */
export function describeProblem({ detail, errors = [] }) {
  const fields = errors.map(({ pointer, detail: fault }) => {
    const field = pointer.replace(/^\/(items\/\d+\/?)?/, '');
    return `${field || 'The input'} ${fault}.`;
  });
  return [detail, ...fields].join(' ');
}

/** The last token that the service has accepted. */
let acceptedToken;

/**
 * Returns the body of the answer. It waits for a new sign-in if there is no valid token. Throws ApiError.
 * @param options `body`: JSON. `signal`: aborts the request.
 */
export async function call(method, path, { body, signal } = {}) {
  if (!hasToken()) await awaitNewToken();
  // The person may have canceled while the call waited.
  signal?.throwIfAborted();
  const { token } = currentSession();
  const response = await send(method, path, { token, body, signal });
  if (response.ok) acceptedToken = token;
  const isCurrent = hasToken() && currentSession().token === token;
  // Another sign-in would not help if the service has never accepted the token.
  if (response.status !== 401 || (isCurrent && token !== acceptedToken)) return read(response);
  if (isCurrent) await awaitNewToken();
  return call(method, path, { body, signal });
}

export const get = (path, signal) => call('GET', path, { signal });
export const post = (path, body, signal) => call('POST', path, { body, signal });

/** Returns all pages of a list. `path` has a query. Throws if a page comes again, as from a cache that ignores the query. */
export async function getPages(path, signal) {
  const pages = [];
  const cursors = new Set();
  for (let after; after !== null; after = pages.at(-1).next) {
    if (cursors.has(after)) throw new Error('The answer is an earlier page of the list. Reload the page.');
    cursors.add(after);
    pages.push(await get(after === undefined ? path : `${path}&after=${encodeURIComponent(after)}`, signal));
  }
  return pages;
}

function send(method, path, { token, body, signal }) {
  const headers = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const init = { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) };
  return fetch(new URL(path, SERVICE), init).catch(refuseUnanswered);
}

/** Nobody knows whether the service has done the work of a request without a complete answer. */
function refuseUnanswered(error) {
  if (error.name === 'AbortError') throw error;
  throw new ApiError({ status: 0, detail: 'The service does not answer. Check your connection.' });
}

async function read(response) {
  const text = await response.text().catch(refuseUnanswered);
  if (response.ok) return text === '' ? undefined : parse(text);
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

function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuseUnanswered(error);
  }
}

export const passPath = ({ type, network }, wallet) =>
  ['pass', type, network, wallet].map(encodeURIComponent).join('/');
