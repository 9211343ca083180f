import type { Milliseconds } from '../lib/brand.ts';

/** A signer whose network or key left the configuration has nothing to do until both are back. */

const KEY = 'notConfiguredSince';
const PAUSE_MIN_MS = 30_000;
const PAUSE_MAX_MS = 3_600_000;

/**
 * Sets the alarm of a signer that is not configured, or none if it has no step. Each pause is as long as all before it, up to an
 * hour, so it stores only when the first one began: an alarm writes one row. A submitted step or a redrive wakes the signer sooner.
 */
export async function waitForConfiguration(storage: DurableObjectStorage, now: Milliseconds): Promise<void> {
  const { kv, sql } = storage;
  if (sql.exec('SELECT 1 FROM step LIMIT 1').toArray().length === 0) return storage.deleteAlarm();
  const since = kv.get<Milliseconds>(KEY);
  if (since === undefined) kv.put(KEY, now);
  const pause = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, now - (since ?? now)));
  await storage.setAlarm(now + pause);
}

/** Ends the waiting, so that the next one begins with short pauses. */
export function endWaitForConfiguration({ kv }: DurableObjectStorage): void {
  if (kv.get(KEY) !== undefined) kv.delete(KEY);
}
