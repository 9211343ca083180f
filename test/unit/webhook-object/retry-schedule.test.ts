import { describe, expect, it } from 'vitest';
import { nextEarlyAt, nextRetryAt, RETRY_DELAYS_MS } from '../../../src/webhook-object/delivery-run.ts';
import { retryAfterMsOf } from '../../../src/webhook-object/send-event.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const NOW = Date.parse('2026-11-20T12:00:00Z');

describe('a scheduled retry', () => {
  it.each`
    failures | delay
    ${1}     | ${5 * SECOND}
    ${2}     | ${5 * MINUTE}
    ${3}     | ${30 * MINUTE}
    ${4}     | ${2 * HOUR}
    ${5}     | ${5 * HOUR}
    ${6}     | ${10 * HOUR}
    ${7}     | ${14 * HOUR}
    ${8}     | ${20 * HOUR}
    ${9}     | ${24 * HOUR}
  `('follows failure $failures after $delay ms, or up to a tenth later', ({ failures, delay }) => {
    expect(nextRetryAt(failures, NOW, 0, 0)).toBe(NOW + delay);
    expect(nextRetryAt(failures, NOW, 0, 1)).toBeCloseTo(NOW + 1.1 * delay);
  });

  it('does not follow the tenth failure', () => {
    expect(RETRY_DELAYS_MS).toHaveLength(9);
    expect(nextRetryAt(10, NOW, HOUR, 0)).toBeUndefined();
  });

  it('waits as long as the receiver asks for, and never shorter than its own delay', () => {
    expect(nextRetryAt(1, NOW, HOUR, 1)).toBe(NOW + HOUR);
    expect(nextRetryAt(4, NOW, HOUR, 0)).toBe(NOW + 2 * HOUR);
  });
});

describe('an early attempt', () => {
  it.each`
    before         | delay
    ${0}           | ${5 * SECOND}
    ${5 * SECOND}  | ${10 * SECOND}
    ${4 * MINUTE}  | ${8 * MINUTE}
    ${8 * MINUTE}  | ${10 * MINUTE}
    ${10 * MINUTE} | ${10 * MINUTE}
  `('is allowed $delay ms after one that was allowed after $before ms', ({ before, delay }) => {
    expect(nextEarlyAt(before, NOW, 0)).toBe(NOW + delay);
  });

  it('waits as long as the receiver asks for', () => {
    expect(nextEarlyAt(0, NOW, HOUR)).toBe(NOW + HOUR);
    expect(nextEarlyAt(HOUR, NOW, 0)).toBe(NOW + 10 * MINUTE);
  });
});

describe('Retry-After', () => {
  it.each([
    [null, 0],
    ['', 0],
    ['0', 0],
    ['120', 120 * SECOND],
    [' 7 ', 7 * SECOND],
    ['86401', DAY],
    ['9'.repeat(400), DAY],
    ['-1', 0],
    ['soon', 0],
    ['1e3', 0],
    ['Fri, 20 Nov 2026 12:01:00 GMT', MINUTE],
    ['Fri, 20 Nov 2026 11:59:00 GMT', 0],
    ['Sun, 20 Nov 2033 12:00:00 GMT', DAY],
  ])('of %j asks for %d ms', (header, ms) => {
    expect(retryAfterMsOf(header, NOW)).toBe(ms);
  });
});
