/** The clock of a test may stand still, so checks are repeated on the real one. */
const later = globalThis.setTimeout;
const now = performance.now.bind(performance);

/** It only ends a test that hangs: on a busy machine, everything takes several times as long as on an idle one. */
const HANGS_AFTER_MS = 90_000;

/**
 * Repeats the checks until they hold, and resolves to their result. After a long time it throws their last error. `vi.waitFor` would move
 * the clock of a test on with each check.
 */
export async function eventually<T>(holds: () => T | Promise<T>, intervalMs = 50): Promise<T> {
  const end = now() + HANGS_AFTER_MS;
  for (;;) {
    try {
      return await holds();
    } catch (fault) {
      if (now() > end) throw fault;
    }
    await new Promise((resolve) => later(resolve, intervalMs));
  }
}
