/**
 * Returns a function that runs at most `most` jobs at once, in the order of its calls. If a job fails, the jobs that have not begun
 * fail with the same fault: a KMS that hangs then costs one timeout, and not one for each waiting job.
 */
export function limitParallel(most: number): <T>(job: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: { readonly begin: () => void; readonly fail: (fault: unknown) => void }[] = [];
  return async (job) => {
    if (running < most) running += 1;
    // A job that ends hands its place on.
    else await new Promise<void>((begin, fail) => waiting.push({ begin, fail }));
    try {
      return await job();
    } catch (fault) {
      for (const { fail } of waiting.splice(0)) fail(fault);
      throw fault;
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next.begin();
    }
  };
}
