/** The longest time that every timer accepts. Beyond it, some refuse and others fire at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Returns a signal that aborts after this many milliseconds. Node only takes whole ones. */
export const abortAfter = (ms: number) => AbortSignal.timeout(Math.min(Math.ceil(ms), TIMER_MAX_MS));

/** Returns a signal that aborts with the given one, and no later than after this many milliseconds. */
export function limitSignal(signal: AbortSignal | undefined, ms: number): AbortSignal {
  const timeout = abortAfter(ms);
  return signal ? AbortSignal.any([signal, timeout]) : timeout;
}

/** Waits. Rejects with the signal's reason as soon as it aborts. */
export async function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, TIMER_MAX_MS));
  });
  try {
    await rejectOnAbort(over, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Settles like the promise, unless the signal aborts before. Then it rejects with the signal's reason. */
export function rejectOnAbort<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
