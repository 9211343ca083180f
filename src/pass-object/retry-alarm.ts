import type { Milliseconds } from '../lib/brand.ts';
import { loadPass, savePass } from './pass-store.ts';

/**
 * A retry never fires on a whole second. Whole seconds are reserved for the expiry of a settled pass, in a later release. So
 * the alarm time of a settled pass shows whether the pass is published, and no row has to store that.
 */
const SECOND_MS = 1_000;

/** Returns the alarm time of a retry that is due after `delay`. */
export function retryAlarmAt(now: Milliseconds, delay: Milliseconds): Milliseconds {
  const at = Math.floor(now + delay);
  return isExpiryAlarm(at) ? at + 1 : at;
}

export function isExpiryAlarm(at: Milliseconds): boolean {
  return at % SECOND_MS === 0;
}

/** Whether a settled pass with that alarm (null: none) is published: only an unpublished pass has a retry. */
export function isPublishedWith(alarm: Milliseconds | null): boolean {
  return alarm === null || isExpiryAlarm(alarm);
}

/** Deletes the retry of a settled and published pass, unless the pass has another version by now. */
export async function deleteRetry(storage: DurableObjectStorage, version: number): Promise<void> {
  const alarm = await storage.getAlarm();
  const stored = loadPass(storage);
  if (stored?.pass.version !== version) return;
  if (stored.listed) savePass(storage, { ...stored, listed: undefined, written: undefined });
  if (!isPublishedWith(alarm)) await storage.deleteAlarm();
}
