const CONCURRENT_ITEMS = 12;

/** Maps several items at a time. Resolves to the results in the order of the items. */
export async function mapInParallel<T, Result>(
  all: readonly T[],
  each: (item: T) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = all.entries();
  const work = async () => {
    for (const [index, item] of left) results[index] = await each(item);
  };
  await Promise.all(Array.from({ length: CONCURRENT_ITEMS }, work));
  return results;
}
