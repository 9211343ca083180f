import { GatepassTokenError } from './errors.ts';
import { type Fetch, type Send, withHeader } from './send.ts';
import { abortAfter, rejectOnAbort } from './time.ts';

/** Gives the access token to send. `refused`: one that it gave and the service did not take, so another one is wanted. */
export type Token = (refused?: string) => Promise<string>;

/** An OAuth client of the authorization server whose tokens the service takes. A secret: not for a page in a browser. */
export interface Credentials {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the server wants to see them (RFC 6749, section 2.3.1): in the header, unless it says otherwise, or in the form. */
  readonly as?: 'basic' | 'post';
  /** What else the server wants to be told; scopes with spaces between them. */
  readonly scope?: string;
  readonly audience?: string;
  readonly resource?: string;
  /** Asks the server in place of the platform's, as where it must go through a proxy. */
  readonly fetch?: Fetch;
}

interface TokenGrant {
  readonly token: string;
  /** When it is to be renewed, as `performance.now()` counts. */
  readonly until: number;
}

/** So long before its end a token is used no more; or a quarter of its life, where that is less. */
const RENEWAL_MARGIN_MS = 60_000;
/**
 * Longer than fetching one takes, with everything that may go wrong (15 seconds): in a Worker, what a request has begun may end
 * with it, and the others would wait for it forever.
 */
const GRANT_TIMEOUT_MS = 16_000;

/**
 * Tokens by client credentials (RFC 6749, section 4.4): fetched when one is needed, once for all who need it then, and again
 * before it expires. Who has waited in vain for what another call began fetches one. Throws GatepassTokenError.
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

/** What comes of it; undefined when it takes too long. */
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
  const { tokenUrl, clientId, clientSecret, as, fetch: _, ...wishes } = credentials;
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...wishes });
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
  // It becomes a header: what cannot be one would be quoted by who refuses it.
  if (!/^[\x21-\x7e]+$/.test(access_token)) {
    throw new GatepassTokenError(`the token from ${new URL(tokenUrl).host} for ${clientId} is none`);
  }
  // Without a lifetime it serves until it is refused.
  const lives = typeof expires_in === 'number' ? expires_in * 1000 : Number.POSITIVE_INFINITY;
  return { token: access_token, until: begun + lives - Math.min(RENEWAL_MARGIN_MS, lives / 4) };
}

/** Servers may repeat what was sent to them. */
function redactSecrets(secrets: readonly string[], text: string): string {
  return secrets.filter((secret) => secret !== '').reduce((said, secret) => said.replaceAll(secret, '[hidden]'), text);
}

async function readFields(answer: Response): Promise<Record<string, unknown>> {
  const body: unknown = await answer.json().catch(() => undefined);
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
}

/** Sends calls with a token; once more with another one when the service does not take it. */
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
