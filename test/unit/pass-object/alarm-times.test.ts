import { describe, expect, it } from 'vitest';
import { MAX_TIMESTAMP } from '../../../src/pass/vocabulary.ts';
import { expiryAlarmAt, isExpiryAlarm, retryAlarmAt } from '../../../src/pass-object/alarm-times.ts';
import { anActivePass, aPass, NOW } from '../pass/a-pass.ts';

const NOW_MS = NOW * 1000;
const YEAR_MS = 365 * 86_400_000;
const expiresIn = (seconds: number) => anActivePass({ onChain: { expiry: NOW + seconds } });

describe('retryAlarmAt', () => {
  it('never returns a whole second', () => {
    const retryAt = (delay: number) => retryAlarmAt(aPass(), 5_000, delay, 0);
    expect([0, 0.5, 999.5, 1_000].map(retryAt)).toEqual([5_001, 5_001, 5_999, 6_001]);
  });

  it('is not later than the next expiry event, and not earlier than now', () => {
    const expiry = expiryAlarmAt(expiresIn(60), NOW_MS, 0) ?? 0;
    expect(retryAlarmAt(expiresIn(60), NOW_MS, 3_600_000, 0)).toBe(expiry + 1);
    expect(retryAlarmAt(expiresIn(60), NOW_MS, 10, 0)).toBe(NOW_MS + 10);
    expect(retryAlarmAt(expiresIn(-3600), NOW_MS, 30_000, 0)).toBe(NOW_MS + 1);
  });
});

describe('expiryAlarmAt', () => {
  it('is a whole second, and at most a year ahead, because the platform refuses later times', () => {
    const far = expiryAlarmAt(expiresIn(MAX_TIMESTAMP - NOW), NOW_MS + 123, 0) ?? 0;
    expect(far).toBe(NOW_MS + YEAR_MS);
    expect([far, expiryAlarmAt(expiresIn(60), NOW_MS + 123, 0) ?? 1].map(isExpiryAlarm)).toEqual([true, true]);
  });

  it('is undefined for a pass without an expiry', () => {
    expect(expiryAlarmAt(anActivePass(), NOW_MS, 0)).toBeUndefined();
  });
});
