/**
 * Returns the log lines of an event among those that a spy on the console saw. Objects of other files log meanwhile in the same runtime, so
 * that a test may neither count all lines nor expect none.
 */
export function linesOf(
  spy: { readonly mock: { readonly calls: readonly (readonly unknown[])[] } },
  event: string,
): Record<string, unknown>[] {
  const lines = spy.mock.calls.flat().map(String);
  return lines.filter((line) => line.includes(`"event":"${event}"`)).map((line) => JSON.parse(line));
}
