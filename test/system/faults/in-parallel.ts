const AT_ONCE = 12;

/** Does something with each, so many at a time; the results in order. */
export async function inParallel<T, Result>(all: readonly T[], each: (item: T) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const left = all.entries();
  const work = async () => {
    for (const [index, item] of left) results[index] = await each(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}
