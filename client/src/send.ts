/** A call that can be repeated, because its body, if any, is text. */
export interface Call {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal?: AbortSignal;
}

/** Sends a call. Each layer between the client and `fetch` (bookmark, token, retries) wraps one of these and is one. */
export type Send = (call: Call) => Promise<Response>;

/** The platform's `fetch`, or a function of the same form. It is called without a `this`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Sends with the given `fetch`, or with the platform's. It reads the whole answer, so that a broken connection shows here and not at
 * the reader. It follows no redirect, because that could send a token or secret elsewhere.
 */
export function sendWith(fetch: Fetch = (url, init) => globalThis.fetch(url, init)): Send {
  return async ({ url, ...init }) => {
    const answer = await fetch(url, { ...init, redirect: 'manual' });
    const { status, statusText, headers } = answer;
    const text = await answer.text();
    // The only form of a redirect that a browser page sees. No answer can be made of it.
    if (status === 0) throw new TypeError('redirected');
    return new Response(text === '' ? null : text, { status, statusText, headers });
  };
}

export function withHeader(call: Call, name: string, value: string): Call {
  return { ...call, headers: { ...call.headers, [name]: value } };
}
