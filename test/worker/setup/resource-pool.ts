/** A pool of things with one user each. A caller waits while all are in use, and callers are served in order. */
export function inTurn<Thing>(all: readonly Thing[]) {
  const free = [...all];
  const waiting: ((thing: Thing) => void)[] = [];
  return {
    take: (): Promise<Thing> =>
      new Promise((resolve) => {
        const thing = free.shift();
        if (thing === undefined) waiting.push(resolve);
        else resolve(thing);
      }),
    giveBack(thing: Thing): void {
      const next = waiting.shift();
      if (next) next(thing);
      else free.push(thing);
    },
  };
}
