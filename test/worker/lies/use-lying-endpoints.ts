import { afterAll, beforeAll, vi } from 'vitest';
import { serveEndpoints } from './lying-endpoints.ts';
import { beginSimulatedTime } from './simulated-time.ts';

const HOUR_MS = 3_600_000;

/** The later one of the two expiries of a life, in Unix seconds. */
export const EXPIRY = Math.floor(Date.now() / 1000) + 1000 * 86_400;
/** The expiry of the token beside it. */
export const NEIGHBOR_EXPIRY = EXPIRY + 86_400;

/** For the tests of a file: serves endpoints that can lie, simulates the time, and keeps the log silent. */
export function useLyingEndpoints(): void {
  beforeAll(() => {
    for (const level of ['log', 'warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => {});
    serveEndpoints();
    beginSimulatedTime(Date.now() + HOUR_MS);
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });
}
