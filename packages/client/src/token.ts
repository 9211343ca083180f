import { GatepassTokenError } from './errors.ts';
import { type Fetch, type Send, withHeader } from './send.ts';
import { abortAfter, rejectOnAbort } from './time.ts';

/** Returns the access token to send. `refused` is a token that the service did not accept, so another one is needed. */
export type Token = (refused?: string) => Promise<string>;

/** An OAuth client of the authorization server that the service trusts. It has a secret, so do not use it in a browser page. */
export interface Credentials {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the server expects the credentials (RFC 6749, section 2.3.1): in the header (default), or in the form. */
  readonly as?: 'basic' | 'post';
  /** More parameters for the server. Separate scopes with spaces. */
  readonly scope?: string;
  readonly audience?: string;
  readonly resource?: string;
  /** Replaces the platform's `fetch` for token requests, for example to use a proxy. */
  readonly fetch?: Fetch;
}

interface TokenGrant {
  readonly token: string;
  /** When to renew it, in the time of `performance.now()`. */
  readonly until: number;
}

/** A token is not used in this time before its end, or in the last quarter of its life if that is shorter. */
const RENEWAL_MARGIN_MS = 60_000;
/**
 * Longer than a fetch with all its retries takes (15 seconds). In a Worker, work may end with the request that began it, and other
 * requests would wait for it forever.
 */
const GRANT_TIMEOUT_MS = 16_000;

/**
 * Returns tokens by client credentials (RFC 6749, section 4.4). It fetches a token when a call needs one, once for all calls, and
 * again before it expires. A call that waited for another call's fetch without success fetches its own. Throws GatepassTokenError.
 */
export function clientCredentials(credentials: Credentials, send: Send): Token {
  let granted: TokenGrant | undefined;
  let granting: Promise<TokenGrant> | undefined;
  const held = (refused?: string) =>
    granted && granted.token !== refused && performance.now() < granted.until ? granted.token : undefined;
  return async (refused) => {
    const token = held(refused) ?? (granting && (await awaitGrant(granting))?.token) ?? held(refused);
    if (token !== undefined) return token;
    const own = requestToken(credentials, send);
    granting = own;
    try {
      const got = await awaitGrant(own);
      if (got === undefined) throw noAnswerError(credentials);
      granted = got;
      return got.token;
    } finally {
      if (granting === own) granting = undefined;
    }
  };
}

/** Returns the result of the promise; undefined if it takes too long. */
function awaitGrant(granting: Promise<TokenGrant>): Promise<TokenGrant | undefined> {
  const limit = abortAfter(GRANT_TIMEOUT_MS);
  return rejectOnAbort(granting, limit).catch((fault) => {
    if (fault === limit.reason) return undefined;
    throw fault;
  });
}

function noAnswerError({ tokenUrl }: Credentials, options?: ErrorOptions): GatepassTokenError {
  return new GatepassTokenError(`no answer from the token endpoint ${new URL(tokenUrl).host}`, options);
}

async function requestToken(credentials: Credentials, send: Send): Promise<TokenGrant> {
  const { tokenUrl, clientId, clientSecret, as, fetch: _, ...parameters } = credentials;
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...parameters });
  const headers: Record<string, string> = { accept: 'application/json' };
  const basic = btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
  if (as === 'post') {
    form.set('client_id', clientId);
    form.set('client_secret', clientSecret);
  } else headers.authorization = `Basic ${basic}`;
  headers['content-type'] = 'application/x-www-form-urlencoded';
  const begun = performance.now();
  const answer = await send({ url: tokenUrl, method: 'POST', headers, body: form.toString() }).catch((fault) => {
    throw noAnswerError(credentials, { cause: fault });
  });
  const { access_token, expires_in, error, error_description } = await readFields(answer);
  if (!answer.ok || typeof access_token !== 'string') {
    const why = [error, error_description].filter((each) => typeof each === 'string').join(', ');
    const said = redactSecrets([clientSecret, encodeURIComponent(clientSecret), basic], `${answer.status} ${why}`);
    throw new GatepassTokenError(`no token from ${new URL(tokenUrl).host} for ${clientId}: ${said}`);
  }
  // The token becomes a header. A runtime that refuses an invalid header would quote it in the error.
  if (!/^[\x21-\x7e]+$/.test(access_token)) {
    throw new GatepassTokenError(`the token from ${new URL(tokenUrl).host} for ${clientId} is none`);
  }
  // A token without a lifetime serves until the service refuses it.
  const lives = typeof expires_in === 'number' ? expires_in * 1000 : Number.POSITIVE_INFINITY;
  return { token: access_token, until: begun + lives - Math.min(RENEWAL_MARGIN_MS, lives / 4) };
}

/** Removes the secret, because servers may repeat the request in their answer. */
function redactSecrets(secrets: readonly string[], text: string): string {
  return secrets.filter((secret) => secret !== '').reduce((said, secret) => said.replaceAll(secret, '[hidden]'), text);
}

async function readFields(answer: Response): Promise<Record<string, unknown>> {
  const body: unknown = await answer.json().catch(() => undefined);
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
}

/** Sends calls with a token. If the service refuses it, sends the call once more with a new one. */
export function withToken(send: Send, token: Token): Send {
  return async (call) => {
    call.signal?.throwIfAborted();
    const first = await rejectOnAbort(token(), call.signal);
    const answer = await send(withHeader(call, 'authorization', `Bearer ${first}`));
    if (answer.status !== 401) return answer;
    const next = await rejectOnAbort(token(first), call.signal);
    return next === first ? answer : send(withHeader(call, 'authorization', `Bearer ${next}`));
  };
}
