/**
 * What a line may show: plain data. No function and so no Secret, nothing that has methods (errors, bytes, keys), and
 * nothing of which the type does not tell what it holds.
 */
export type Fact = string | number | boolean | null | undefined | readonly Fact[] | { readonly [name: string]: Fact };
type Facts = Readonly<Record<string, Fact>>;

/**
 * One JSON line. Callers pass named facts only: never a token, a key, signed bytes, or the address of an endpoint.
 * `at` says what happened; `fault` is for what an operator should look at.
 */
export function log(at: string, facts: Facts = {}): void {
  console.log(JSON.stringify({ at, ...facts }));
}

export function logFault<Fault>(at: string, fault: NoFunction<Fault>, facts: Facts = {}): void {
  console.error(JSON.stringify({ at, fault: describe(fault), ...facts }));
}

/** What is caught may be anything; what is known to be a Secret is no fault. */
type NoFunction<Fault> = Fault extends (...args: never) => unknown ? never : Fault;

/** Messages of libraries quote what they were given. */
const LONGEST = 500;

/** Name and message of an error: its other properties may hold anything. */
function describe(fault: unknown): string {
  const text =
    fault instanceof Error ? `${fault.name}: ${fault.message}` : typeof fault === 'string' ? fault : typeof fault;
  return text.slice(0, LONGEST);
}
