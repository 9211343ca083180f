/** Returns the result of the work, or `late` if it takes longer than `ms` milliseconds. The work itself continues. */
export async function withTimeout<T, L>(ms: number, work: Promise<T>, late: L): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  return Promise.race([work, over]).finally(() => clearTimeout(timer));
}

/** Returns the result of the work. Throws if `what` does not answer within `ms` milliseconds. The work itself continues. */
export async function within<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  const result = await withTimeout(ms, work, LATE);
  if (result === LATE) throw new Error(`${what} did not answer within ${ms} ms`);
  return result;
}

/**
 * Runs work with a signal that aborts it after `ms` milliseconds. Unlike the timer of `AbortSignal.timeout`, this one ends with the
 * work: a pending timer keeps an object in memory, which costs money, and an isolate has at most 10,000 of them.
 */
export async function abortAfter<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException(`timeout of ${ms} ms`, 'TimeoutError')), ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

const LATE = Symbol('late');
