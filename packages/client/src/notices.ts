import type { Call } from './send.ts';

interface AboutTry {
  /** `token` is a request to the authorization server. */
  readonly to: 'service' | 'token';
  readonly method: string;
  /** Origin and path. No query, because it may have a text of yours. */
  readonly url: string;
  /** 1 for the first try of a call. */
  readonly attempt: number;
}

/**
 * An event of a call: the client sends a request, gets its answer or none, or sends it again after a pause. A notice has no header, no
 * body, no token and no secret. Later releases may add fields and types.
 */
export type CallNotice =
  | (AboutTry & { readonly type: 'request' })
  | (AboutTry & {
      readonly type: 'answer';
      /** Undefined: there was no complete answer. */
      readonly status: number | undefined;
      /** The id of the request at the service, if it answered. */
      readonly requestId: string | undefined;
      /** The header `Sunset` (RFC 8594), a date of HTTP: the end of the network that the path names. From then on, the service refuses new passes there. */
      readonly sunset: string | undefined;
      readonly durationMs: number;
    })
  | (AboutTry & {
      readonly type: 'retry';
      readonly status: number | undefined;
      /** Milliseconds until the next try. */
      readonly pauseMs: number;
    });

/** Hears of each request. It must return at once. Its errors are ignored, so that they change no call. */
export type Listener = (notice: CallNotice) => void;

/** The listener of a client, and the receiver of the requests that it hears of. */
export interface Listening {
  readonly to: AboutTry['to'];
  readonly on: Listener | undefined;
}

type Fields<T> = T extends unknown ? Omit<T, keyof AboutTry> : never;

/** Returns a function that notifies the listener about the tries of a call. */
export function notifierOf({ to, on }: Listening, { method, url }: Call) {
  const { origin, pathname } = new URL(url);
  return (attempt: number, fields: Fields<CallNotice>): void => {
    try {
      on?.({ to, method, url: origin + pathname, attempt, ...fields });
    } catch {
      // A listener that fails must not stop a change of a pass.
    }
  };
}
