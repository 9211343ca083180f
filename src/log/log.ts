/**
 * What a line may show: plain data. No function and so no Secret, nothing that has methods (errors, bytes, keys), and
 * nothing of which the type does not tell what it holds.
 */
export type LogField =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly LogField[]
  | { readonly [name: string]: LogField };
type LogFields = Readonly<Record<string, LogField>>;

/**
 * One JSON line. Callers pass named facts only: never a token, a key, signed bytes, or the address of an endpoint.
 * `at` says what happened; `fault` is for what an operator should look at.
 */
export function log(at: string, facts: LogFields = {}): void {
  console.log(JSON.stringify({ at, ...facts }));
}

/**
 * A line of what went well, of which there are many: only for so large a share (0 to 1) of the ids, which are UUIDs, so that
 * what belongs together is there as a whole. A line that is a sample carries the share, for counts to be made whole again.
 */
export function logSuccess(at: string, id: string, share: number, facts: LogFields): void {
  if (share === 1) log(at, facts);
  // The end of a UUID is random, of version 7 as well.
  else if (Number.parseInt(id.slice(-8), 16) < share * 2 ** 32) log(at, { ...facts, share });
}

export function logFault<Fault>(at: string, fault: NoFunction<Fault>, facts: LogFields = {}): void {
  console.error(JSON.stringify({ at, fault: describe(fault), ...facts }));
}

/** What is caught may be anything; what is known to be a Secret is no fault. */
type NoFunction<Fault> = Fault extends (...args: never) => unknown ? never : Fault;

/** Messages of libraries quote what they were given. */
const MESSAGE_MAX_CHARS = 500;

/** Name and message of an error: its other properties may hold anything. */
function describe(fault: unknown): string {
  const text =
    fault instanceof Error ? `${fault.name}: ${fault.message}` : typeof fault === 'string' ? fault : typeof fault;
  return text.slice(0, MESSAGE_MAX_CHARS);
}
