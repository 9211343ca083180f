/** A call that can be made again: its body, if it has one, is text. */
export interface Call {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal?: AbortSignal;
}

/** Sends a call. What is between the client and `fetch` (bookmark, token, retries) takes one of these and is one. */
export type Send = (call: Call) => Promise<Response>;

/** The platform's `fetch`, or one with its form. It is called as a function, without a `this`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Sends with that `fetch`, or with the platform's. Takes the whole answer, so that a connection that breaks in the middle is
 * noticed here and not by who reads it; follows no redirect, which would take token or secret along.
 */
export function sendWith(fetch: Fetch = (url, init) => globalThis.fetch(url, init)): Send {
  return async ({ url, ...init }) => {
    const answer = await fetch(url, { ...init, redirect: 'manual' });
    const { status, statusText, headers } = answer;
    const text = await answer.text();
    // All that a page in a browser sees of a redirect; no answer can be made of it.
    if (status === 0) throw new TypeError('redirected');
    return new Response(text === '' ? null : text, { status, statusText, headers });
  };
}

export function withHeader(call: Call, name: string, value: string): Call {
  return { ...call, headers: { ...call.headers, [name]: value } };
}
