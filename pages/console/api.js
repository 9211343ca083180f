import { SERVICE } from './settings.js';
import { awaitNewToken, currentSession, isExpired } from './sign-in.js';

/** A refusal of the service. `status` is 0 if there was no answer. */
export class ApiError extends Error {
  constructor({ detail, status, code, requestId, errors = [] }, retryAfter = 0) {
    const fields = errors.map((each) => `${each.pointer.slice(1) || 'The input'} ${each.detail}.`);
    super([detail, ...fields].join(' '));
    Object.assign(this, { status, code, requestId, retryAfter });
  }
}

/**
 * Returns the body of the answer. It waits for a new sign-in if the token has expired. Throws ApiError.
 * @param options `body`: JSON. `signal`: aborts the request.
 */
export async function call(method, path, { body, signal } = {}) {
  if (isExpired()) await awaitNewToken();
  const response = await send(method, path, body, signal);
  if (response.status !== 401) return read(response);
  await awaitNewToken();
  return read(await send(method, path, body, signal));
}

export const get = (path, signal) => call('GET', path, { signal });
export const post = (path, body) => call('POST', path, { body });

function send(method, path, body, signal) {
  const headers = { authorization: `Bearer ${currentSession()?.token}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const init = { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) };
  return fetch(new URL(path, SERVICE), init).catch((error) => {
    if (error.name === 'AbortError') throw error;
    throw new ApiError({ status: 0, detail: 'The service does not answer. Check your connection.' });
  });
}

async function read(response) {
  const text = await response.text();
  if (response.ok) return text === '' ? undefined : JSON.parse(text);
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

export const passPath = ({ type, network }, wallet) =>
  ['pass', type, network, wallet].map(encodeURIComponent).join('/');
