/**
 * One JSON line. Callers pass named facts only: never a token, a key, signed bytes, or the address of an endpoint.
 * `at` says what happened; `fault` is for what an operator should look at.
 */
export function log(at: string, facts: Readonly<Record<string, unknown>> = {}): void {
  console.log(JSON.stringify({ at, ...facts }));
}

export function logFault(at: string, fault: unknown, facts: Readonly<Record<string, unknown>> = {}): void {
  console.error(JSON.stringify({ at, fault: describe(fault), ...facts }));
}

/** Name and message of an error: its other properties may hold anything. */
function describe(fault: unknown): string {
  return fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
}
