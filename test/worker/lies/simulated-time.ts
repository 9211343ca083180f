import { vi } from 'vitest';

/** The time of the code under test. Only the test advances it, hours ahead of the clock, so that no alarm fires by itself. */
let now = 0;

/** The time of the clock. */
export const clockMs = Date.now.bind(Date);

export const nowMs = () => now;

export function beginSimulatedTime(ms: number): void {
  now = ms;
  vi.spyOn(Date, 'now').mockImplementation(() => now);
}

export function setTime(ms: number): void {
  now = Math.max(now, ms);
}
