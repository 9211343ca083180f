import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withTimeout } from '../../../src/lib/with-timeout.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('settles like a promise that settles in time, and leaves no timer', async () => {
  expect(await withTimeout(1_000, Promise.resolve('in time'), 'late')).toBe('in time');
  await expect(withTimeout(1_000, Promise.reject(new Error('a fault')), 'late')).rejects.toThrow('a fault');
  expect(vi.getTimerCount()).toBe(0);
});

it('returns the fallback if the promise does not settle in time', async () => {
  const result = withTimeout(1_000, new Promise(() => {}), 'late');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await result).toBe('late');
});
