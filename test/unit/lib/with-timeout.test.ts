import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withTimeout } from '../../../src/lib/with-timeout.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('what comes in time is the answer, and no timer is left', async () => {
  expect(await withTimeout(1_000, Promise.resolve('in time'), 'late')).toBe('in time');
  await expect(withTimeout(1_000, Promise.reject(new Error('a fault')), 'late')).rejects.toThrow('a fault');
  expect(vi.getTimerCount()).toBe(0);
});

it('what does not come in time has something else in its place', async () => {
  const asked = withTimeout(1_000, new Promise(() => {}), 'late');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await asked).toBe('late');
});
