import type { Milliseconds } from '../lib/brand.ts';

/** When this signer first and last received a contract error that the service does not know, and which may mean anything. */
interface Meetings {
  readonly since: Milliseconds;
  readonly last: Milliseconds;
}

const KEY = 'unknownErrors';
const REMEMBERED_MAX = 20;
/** An error that did not occur for this time counts as new. */
const FORGET_MS = 24 * 3_600_000;
/** `last` is written at most this often: each write is a row. */
const WRITE_EVERY_MS = 3_600_000;
/** An error that occurred this often, over this time, counts as lasting: the operator sees how often and since when. */
const LASTING_TRIES = 10;
const LASTING_MS = 3_600_000;

/** Records these errors, and returns those that are new to the signer: the caller logs only these. */
export function recordUnknownErrors(
  { kv }: DurableObjectStorage,
  errors: readonly string[],
  now: Milliseconds,
): ReadonlySet<string> {
  const known = kv.get<Map<string, Meetings>>(KEY) ?? new Map<string, Meetings>();
  const isNew = (error: string) => now - (known.get(error)?.last ?? 0) >= FORGET_MS;
  const fresh = new Set(errors.filter(isNew));
  const due = errors.filter((error) => now - (known.get(error)?.last ?? 0) >= WRITE_EVERY_MS);
  if (due.length === 0) return fresh;
  for (const error of due) {
    const since = fresh.has(error) ? now : (known.get(error)?.since ?? now);
    known.delete(error);
    known.set(error, { since, last: now });
  }
  // A map keeps the order of its entries, so the errors that have not occurred for the longest time come first.
  kv.put(KEY, new Map([...known].slice(-REMEMBERED_MAX)));
  return fresh;
}

/** Returns the error, with the number and the start of the tries if it lasts; undefined if it is not recorded as unknown. */
export function describeUnknownError(
  { kv }: DurableObjectStorage,
  error: string | null,
  tries: number,
  now: Milliseconds,
): string | undefined {
  const meetings = error === null ? undefined : kv.get<Map<string, Meetings>>(KEY)?.get(error);
  if (error === null || meetings === undefined) return undefined;
  if (tries < LASTING_TRIES || now - meetings.since < LASTING_MS) return error;
  return `${error} (${tries} tries since ${new Date(meetings.since).toISOString()})`;
}
