import type { Milliseconds } from '../lib/brand.ts';
import { DAY_MS, HOUR_MS } from '../lib/time.ts';
import type { Reason } from '../pass/wait-reasons.ts';

/** When this signer first and last received a contract error that the service does not know, and which may mean anything. */
interface Meetings {
  readonly since: Milliseconds;
  readonly last: Milliseconds;
}

const KEY = 'unknownErrors';
const REMEMBERED_MAX = 20;
/** An error that did not occur for this time counts as new. */
const FORGET_MS = DAY_MS;
/** `last` is written at most this often: each write is a row. */
const WRITE_EVERY_MS = HOUR_MS;
/** An error that occurred this often, over this time, counts as lasting: the operator sees how often and since when. */
const LASTING_TRIES = 10;
const LASTING_MS = HOUR_MS;

/** Records these errors, and returns those that are new to the signer: the caller logs only these. */
export function recordUnknownErrors<R extends Reason>(
  { kv }: DurableObjectStorage,
  reasons: readonly R[],
  now: Milliseconds,
): R[] {
  // Of equal errors, the first one counts.
  const errors = new Map(reasons.toReversed().map((reason) => [nameOf(reason), reason]));
  if (errors.size === 0) return [];
  const known = kv.get<Map<string, Meetings>>(KEY) ?? new Map<string, Meetings>();
  const age = (error: string) => now - (known.get(error)?.last ?? 0);
  const fresh = [...errors.keys()].filter((error) => age(error) >= FORGET_MS);
  const due = [...errors.keys()].filter((error) => age(error) >= WRITE_EVERY_MS);
  for (const error of due) {
    const since = fresh.includes(error) ? now : (known.get(error)?.since ?? now);
    known.delete(error);
    known.set(error, { since, last: now });
  }
  // A map keeps the order of its entries, so the errors that have not occurred for the longest time come first.
  if (due.length > 0) kv.put(KEY, new Map([...known].slice(-REMEMBERED_MAX)));
  return fresh.flatMap((error) => errors.get(error) ?? []);
}

/** Returns how often and since when the error has been tried, if it lasts; undefined otherwise. */
export function describeLasting(
  { kv }: DurableObjectStorage,
  reason: Reason,
  tries: number,
  now: Milliseconds,
): string | undefined {
  const meetings = kv.get<Map<string, Meetings>>(KEY)?.get(nameOf(reason));
  if (meetings === undefined || tries < LASTING_TRIES || now - meetings.since < LASTING_MS) return undefined;
  return `${tries} tries since ${new Date(meetings.since).toISOString()}`;
}

const nameOf = ({ code, detail }: Reason) => `${code} ${detail}`;
