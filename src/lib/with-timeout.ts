/** Returns the result of the work, or `late` if it takes longer than `ms` milliseconds. The work itself continues. */
export function withTimeout<T, L>(ms: number, work: Promise<T>, late: L): Promise<T | L> {
  // Each request waits several times: a race of two promises costs twice as much.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late), ms);
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (fault) => {
        clearTimeout(timer);
        reject(fault);
      },
    );
  });
}

/** Something did not answer in time. A later attempt may succeed: the platform marks such errors in the same way. */
export class LateAnswer extends Error {
  override readonly name: string = 'LateAnswer';
  /** Another object that gets the error has its properties, but not its class. */
  readonly retryable = true;
}

/** Returns the result of the work. Throws LateAnswer if `what` does not answer within `ms` milliseconds. The work itself continues. */
export async function within<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  const result = await withTimeout(ms, work, LATE);
  if (result === LATE) throw new LateAnswer(lateText(what, ms));
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

/**
 * Returns `within` with one timer for all calls of the same moment and duration: a timer costs as much as a small call of an
 * object. Only for the calls of one event, because a timer belongs to the event that set it.
 */
export function withinTogether(): typeof within {
  const limits = new Map<number, { readonly over: Promise<typeof LATE>; readonly end: () => void; users: number }>();
  return async (ms, work, what) => {
    const due = Date.now() + ms;
    const limit = limits.get(due) ?? { ...limitOf(ms), users: 0 };
    limits.set(due, limit);
    limit.users += 1;
    try {
      const result = await Promise.race([work, limit.over]);
      if (result === LATE) throw new LateAnswer(lateText(what, ms));
      return result;
    } finally {
      limit.users -= 1;
      if (limit.users === 0) {
        limits.delete(due);
        limit.end();
      }
    }
  };
}

function limitOf(ms: number) {
  const { promise: over, resolve } = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(() => resolve(LATE), ms);
  return { over, end: () => clearTimeout(timer) };
}

const lateText = (what: string, ms: number) => `${what} did not answer within ${ms} ms`;

const LATE = Symbol('late');
