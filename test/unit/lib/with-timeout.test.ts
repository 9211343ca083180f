import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withinTogether, withTimeout } from '../../../src/lib/with-timeout.ts';

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

it('bounds several calls of one moment with one timer, and leaves none', async () => {
  const within = withinTogether();
  const answers = [within(1_000, Promise.resolve(1), 'one'), within(1_000, Promise.resolve(2), 'two')];
  expect(vi.getTimerCount()).toBe(1);
  expect(await Promise.all(answers)).toEqual([1, 2]);
  expect(vi.getTimerCount()).toBe(0);
});

it('fails only those calls of one moment that do not answer in time', async () => {
  const within = withinTogether();
  const late = within(1_000, new Promise(() => {}), 'the object').catch(String);
  const failed = within(1_000, Promise.reject(new Error('a fault')), 'another').catch(String);
  const answered = within(1_000, Promise.resolve('in time'), 'a third');
  await vi.advanceTimersByTimeAsync(400);
  const later = within(1_000, new Promise(() => {}), 'a later one').catch(String);
  await vi.advanceTimersByTimeAsync(600);
  expect(await Promise.all([late, failed, answered])).toEqual([
    'LateAnswer: the object did not answer within 1000 ms',
    'Error: a fault',
    'in time',
  ]);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(400);
  expect(await later).toBe('LateAnswer: a later one did not answer within 1000 ms');
});
