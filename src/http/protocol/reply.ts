import type { Refusal } from './problem.ts';

/** The header with a caller's bookmark. A response to a request with a bookmark is at least as new as the bookmark's response. */
export const BOOKMARK = 'gatepass-bookmark';

/** A response that is not a refusal. */
export interface Reply {
  readonly status: number;
  /** JSON text, or the content of a file; null if there is no body. */
  readonly body: string | ReadableStream | null;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Id of the one pass that the reply is about, for the log. */
  readonly pass?: string | undefined;
}

export function isRefusal(outcome: object): outcome is Refusal {
  return 'code' in outcome;
}

/** Returns a reply with JSON. `bookmark` is the bookmark of this reply. */
export function reply(status: number, body: string, pass?: string, bookmark?: string): Reply {
  return { status, body, pass, ...(bookmark === undefined ? {} : { headers: { [BOOKMARK]: bookmark } }) };
}
