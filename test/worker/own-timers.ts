import { AsyncLocalStorage } from 'node:async_hooks';
import { vi } from 'vitest';

const own = new AsyncLocalStorage<true>();

/**
 * Runs the work on a simulated clock. Only the work's own timers are simulated. Objects run in the same isolate and keep real timers,
 * although they see the simulated date: a move of the clock would continue an object's work in the context of the test, where it may
 * touch nothing and never ends.
 */
export async function withOwnTimers<T>(work: () => Promise<T>): Promise<T> {
  const real = { setTimeout, clearTimeout };
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() });
  const simulated = { setTimeout, clearTimeout };
  const timers = new Set<unknown>();
  const begin = (...args: Parameters<typeof setTimeout>) => {
    if (own.getStore() === undefined) return real.setTimeout(...args);
    const timer = simulated.setTimeout(...args);
    timers.add(timer);
    return timer;
  };
  const end = (timer: Parameters<typeof clearTimeout>[0]) =>
    timers.has(timer) ? simulated.clearTimeout(timer) : real.clearTimeout(timer);
  Object.assign(globalThis, { setTimeout: begin, clearTimeout: end });
  try {
    return await own.run(true, work);
  } finally {
    // Vitest restores only functions that it set itself, and deletes others.
    Object.assign(globalThis, simulated);
    vi.useRealTimers();
  }
}
