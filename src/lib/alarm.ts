import { MINUTE_MS, type Milliseconds } from './units.ts';

/**
 * How late an alarm may be. The platform fires alarms within seconds, and repeats one that failed for some two minutes. It has also lost
 * alarms for days while `getAlarm` returned their time (cloudflare-docs 18324, workerd 6371; read in November 2026). An alarm that was only
 * late, and is set again, fires a little later.
 */
const ALARM_MAX_LATE_MS = 2 * MINUTE_MS;

/** Whether the platform has lost an alarm for that time (Unix milliseconds), because it is long overdue. */
export function isAlarmLost(at: Milliseconds, now: Milliseconds = Date.now()): boolean {
  return now - at > ALARM_MAX_LATE_MS;
}

/** Returns when the alarm of an object fires (Unix milliseconds); null if it has none, the platform has lost it, or its handler runs. */
export async function pendingAlarm(storage: Pick<DurableObjectStorage, 'getAlarm'>): Promise<Milliseconds | null> {
  const at = await storage.getAlarm();
  return at !== null && isAlarmLost(at) ? null : at;
}
