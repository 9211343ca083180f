import { isParsable, readText } from './bounded-text.ts';
import { VERSION } from './version.ts';

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
 * the reader. An answer that no parser should read counts as empty. It follows no redirect, because that could send a token or secret
 * elsewhere. Throws AnswerTooLarge.
 */
export function sendWith(fetch: Fetch = (url, init) => globalThis.fetch(url, init)): Send {
  return async ({ url, ...init }) => {
    const headers = { ...userAgent(), ...init.headers };
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    const { status, statusText } = answer;
    const text = await readText(answer, url);
    // The only form of a redirect that a browser page sees. No answer can be made of it.
    if (status === 0) throw new TypeError('redirected');
    return new Response(text === '' || !isParsable(text) ? null : text, {
      status,
      statusText,
      headers: answer.headers,
    });
  };
}

export function withHeader(call: Call, name: string, value: string): Call {
  return { ...call, headers: { ...call.headers, [name]: value } };
}

interface Runtime {
  readonly document?: unknown;
  readonly navigator?: { readonly userAgent?: string };
  readonly process?: { readonly versions?: { readonly node?: string } };
}

/**
 * Names the client to the service. Not in a page: some browsers forbid the header, and others would ask the service whether a page of
 * another origin may send it. Node, Bun and Deno all have a version of Node.
 */
function userAgent(): Record<string, string> {
  const { document, navigator, process } = globalThis as Runtime;
  const isServer = process?.versions?.node !== undefined || navigator?.userAgent === 'Cloudflare-Workers';
  return isServer && document === undefined ? { 'user-agent': `gatepass-client/${VERSION}` } : {};
}
