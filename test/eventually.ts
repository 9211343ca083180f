import { vi } from 'vitest';

/** It only ends a test that hangs: on a busy machine, everything takes several times as long as on an idle one. */
const HANGS_AFTER_MS = 90_000;

/** Repeats the checks until they hold, and resolves to their result. After a long time it throws their last error. */
export const eventually = <T>(holds: () => T | Promise<T>, intervalMs = 50): Promise<T> =>
  vi.waitFor(holds, { timeout: HANGS_AFTER_MS, interval: intervalMs });
