import { SECOND_MS } from '../../lib/units.ts';
import { type Network, networkStatusOf } from '../../network/network.ts';
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

/** Headers with which a caller asks to wait (`Prefer`), or for a body only if it is new (`ETag`, `If-None-Match`). */

/** Maximum wait. A longer one counts as this. */
export const WAIT_MAX_SECONDS = 20;

/** Longer headers are ignored, which bounds the time to read one. */
const PREFER_MAX_CHARACTERS = 1_000;

const WAIT = /^\s*wait\s*=\s*("?)(\d+)\1\s*$/i;

/**
 * Returns how many seconds the request asks to wait with `Prefer: wait=N` (RFC 7240), at most 20; 0 if it does not ask. The
 * first `wait=N` of a list counts. Every other preference and every malformed one is ignored, never refused.
 */
export function parseWait(headers: Headers): number {
  const prefer = headers.get('prefer') ?? '';
  if (prefer.length > PREFER_MAX_CHARACTERS) return 0;
  for (const preference of prefer.split(',')) {
    const seconds = WAIT.exec(preference)?.[2];
    if (seconds !== undefined) return Math.min(Number(seconds), WAIT_MAX_SECONDS);
  }
  return 0;
}

/** Returns the header that confirms the wait (RFC 7240 §3). */
export function preferenceApplied(seconds: number): { 'preference-applied': string } {
  return { 'preference-applied': `wait=${seconds}` };
}

/**
 * Returns the entity tag of a pass (RFC 9110 §8.8.3). The version grows with every change that the record shows, and `moment` says
 * what changes without one: whether the pass is valid, and why it waits. The tag is weak, because another release may serialize the same record differently, and a proxy
 * may compress it.
 */
export function etagOf({ id, version }: { readonly id: string; readonly version: number }, moment: string): string {
  return `W/"${id}.${version}${moment}"`;
}

/** Returns the reply, or 304 without a body if the caller already has it (RFC 9110 §13.1.2, §15.4.5). */
export function notModified(reply: Reply, { headers }: Request): Reply {
  const etag = reply.headers?.etag;
  if (etag === undefined) return reply;
  const known = headers.get('if-none-match');
  return known === null || !isAmong(known, etag) ? reply : { ...reply, status: 304, body: null };
}

/** Compares weakly (§8.8.3.2): only the quoted texts count. Ignores list entries that are not entity tags. */
function isAmong(list: string, etag: string): boolean {
  if (list.trim() === '*') return true;
  return [...list.matchAll(/(?:W\/)?"([^"]*)"/g)].some(([, opaque]) => etag === `W/"${opaque}"`);
}

/** Fields of a request's log line. Each stage adds its own, so the line also shows how far the request came. */
export interface RequestLog {
  readonly request_id: string;
  route?: string;
  /** Whether the route may change something. Not part of the line. */
  mayChange?: boolean;
  client?: string;
  /** The `sub` of a person who signed in to the console. */
  sub?: string | undefined;
  /** The OAuth client of the partner, for the metrics. The log has `client`. */
  partner?: string;
  /** Seconds that the request asked to wait. Without this field, a long request would look like a fault. */
  wait_s?: number;
}

/** The values of the header `Sunset` (RFC 8594), by chain and network. A time in the past is allowed there (§3). */
export type Sunsets = ReadonlyMap<string, string>;

const nameOf = (chain: string, network: string) => `${chain}/${network}`;

export function sunsetsOf(networks: readonly Network[]): Sunsets {
  return new Map(
    networks.flatMap((row) => {
      const status = networkStatusOf(row, 0);
      if (status.type === 'live') return [];
      return [[nameOf(row.chain, row.network), new Date(status.endsAt * SECOND_MS).toUTCString()] as const];
    }),
  );
}

/**
 * Returns the outcome of a request whose path names a network, with the end of that network in its headers. A refusal that is the same as
 * for an unknown path stays so.
 */
export function withSunset(
  outcome: Reply | Refusal,
  { chain = '', chainNetwork = '' }: Readonly<Record<string, string>>,
  sunsets: Sunsets,
): Reply | Refusal {
  const sunset = sunsets.get(nameOf(chain, chainNetwork));
  if (sunset === undefined || (isRefusal(outcome) && outcome.code === 'not_found')) return outcome;
  return { ...outcome, headers: { ...outcome.headers, sunset } };
}
