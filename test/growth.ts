/** How many times as large the larger input is. */
const TIMES = 16;
/** Processor time that is long enough to measure: systems count it in steps of some milliseconds. */
const ENOUGH_MICROSECONDS = 60_000;

/** The caches of a processor are smaller for work on a busy machine. Quadratic work is quadratic in every measurement. */
const MEASUREMENTS_MAX = 5;

/** The bound of `growthOf` for linear work. */
export const LINEAR = TIMES / 4;

/**
 * Returns how many times longer the work takes on one input than on 16 inputs that together are as large: about 1 for linear work, and 16 for
 * quadratic work. It counts the processor time of this thread, because a busy machine lets it wait. It measures up to five times, until the
 * number is below the bound, and returns the smallest one.
 * @param size The smaller size. Choose it so that quadratic work on it would take milliseconds.
 */
export function growthOf(work: (size: number) => unknown, size: number): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (let count = 0; count < MEASUREMENTS_MAX && smallest >= LINEAR; count += 1)
    smallest = Math.min(smallest, measureGrowth(work, size));
  return smallest;
}

function measureGrowth(work: (size: number) => unknown, size: number): number {
  let [small, large] = [0, 0];
  while (small < ENOUGH_MICROSECONDS && large < TIMES * ENOUGH_MICROSECONDS) {
    small += microsecondsOf(() => {
      for (let times = 0; times < TIMES; times += 1) work(size);
    });
    large += microsecondsOf(() => work(size * TIMES));
  }
  return large / small;
}

function microsecondsOf(work: () => unknown): number {
  const begun = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(begun);
  return user + system;
}
