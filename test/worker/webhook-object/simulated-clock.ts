import { afterEach, beforeEach, vi } from 'vitest';

/** Stops the clock during the tests of a file. It never goes back, so each test starts when the one before ended. */
export function simulateClock() {
  let now = Date.now();
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }));
  afterEach(() => void vi.useRealTimers());
  return {
    advance(ms: number): void {
      now += ms;
      vi.setSystemTime(now);
    },
  };
}
