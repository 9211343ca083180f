/** The counts since the last reading, by name. One isolate runs all objects of the local runtime. */
const counts = new Map<string, number>();

/** Adds to the count of that name. */
export function count(name: string, times = 1): void {
  if (times > 0) counts.set(name, (counts.get(name) ?? 0) + times);
}

/** Returns all counts, sorted by name, and resets them. */
export function takeCounts(): Record<string, number> {
  const taken = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  counts.clear();
  return Object.fromEntries(taken);
}
