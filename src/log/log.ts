import { escapeHidden } from '../lib/characters.ts';
import { MINUTE_MS } from '../lib/units.ts';
import type { ErrorEvent, InfoEvent } from './events.ts';

/**
 * The value of a log field: plain data. Values with methods (errors, bytes, keys, a Secret) and values of unknown type do not
 * compile, because they may contain a secret.
 */
type LogField =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly LogField[]
  | { readonly [name: string]: LogField };
/** Field names are in snake case and carry their unit, for example `duration_ms`. */
type LogFields = Readonly<Record<string, LogField>>;

/**
 * Logs one JSON line. Texts of others, for example of a token, cannot control the terminal that shows it. Callers pass named fields only: never a token, a key, signed bytes, or the URL of an endpoint.
 */
export function log(event: InfoEvent, fields: LogFields = {}): void {
  console.log(escapeHidden(JSON.stringify({ event, ...fields })));
}

/**
 * Logs a frequent line for a share (0 to 1) of the ids. Ids are UUIDs, so either all lines of an id are logged or none. A
 * sampled line carries the share, from which an operator computes the true count.
 */
export function logSampled(event: InfoEvent, id: string, share: number, fields: LogFields): void {
  if (share === 1) log(event, fields);
  // The last digits of a UUID are random in every version.
  else if (Number.parseInt(id.slice(-8), 16) < share * 2 ** 32) log(event, { ...fields, share });
}

/** Logs one JSON line at the level `error`. The field `error` holds the name and the message of the fault. */
export function logFault<Fault>(event: ErrorEvent, fault: NoFunction<Fault>, fields: LogFields = {}): void {
  console.error(escapeHidden(JSON.stringify({ event, error: describe(fault), ...fields })));
}

/** Anything may be thrown, but a Secret is a function and must not reach the log. */
type NoFunction<Fault> = Fault extends (...args: never) => unknown ? never : Fault;

/** Messages of libraries may quote long input. */
const MESSAGE_MAX_CHARS = 500;

/** Returns the name and the message of an error. Its other properties may contain secrets. */
function describe(fault: unknown): string {
  const text =
    fault instanceof Error ? `${fault.name}: ${fault.message}` : typeof fault === 'string' ? fault : typeof fault;
  return text.slice(0, MESSAGE_MAX_CHARS);
}

/** Lines of one caller that an isolate logs in a minute. So all refusals of a caller with a fault in its program are there. */
const LINES_PER_MINUTE = 100;
/** The share of further lines. The metrics count each of them. */
const SHARE_OF_MORE = 0.01;

const counts = new Map<string, number>();
let minute = 0;

/** Returns the share of the lines of a caller to log at this moment, and counts one. */
export function shareOfLines(caller: string, now = Date.now()): number {
  const current = Math.floor(now / MINUTE_MS);
  if (current !== minute) counts.clear();
  minute = current;
  const count = (counts.get(caller) ?? 0) + 1;
  counts.set(caller, count);
  return count <= LINES_PER_MINUTE ? 1 : SHARE_OF_MORE;
}
