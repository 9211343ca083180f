/** What was counted since the last time somebody asked, by what it is. One isolate runs all objects of the local runtime. */
const counts = new Map<string, number>();

/** Adds to what is known under that name. */
export function count(name: string, times = 1): void {
  if (times > 0) counts.set(name, (counts.get(name) ?? 0) + times);
}

/** Everything that was counted, by name in order; from here on it starts again at nothing. */
export function takeCounts(): Record<string, number> {
  const taken = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  counts.clear();
  return Object.fromEntries(taken);
}
