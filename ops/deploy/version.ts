/** The name of a release: `1.2.3`, or `1.2.3-rc.4` for a candidate of it. */
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-rc\.(\d+))?$/;

export const isVersion = (text: string): boolean => VERSION.test(text);

/** Compares two names of releases for a sort, oldest first. A candidate is older than its release. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [numbersOf(left), numbersOf(right)];
  const at = a.findIndex((number, index) => number !== b[index]);
  return at < 0 ? 0 : (a[at] as number) < (b[at] as number) ? -1 : 1;
}

function numbersOf(version: string): number[] {
  const [, ...numbers] = VERSION.exec(version) ?? [];
  return Array.from({ length: 4 }, (_, at) => Number(numbers[at] ?? Number.POSITIVE_INFINITY));
}
