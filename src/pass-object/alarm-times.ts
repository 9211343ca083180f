import type { Milliseconds } from '../lib/brand.ts';
import { nextExpiryEventAt } from '../pass/expiry-events.ts';
import type { Pass } from '../pass/pass.ts';

/**
 * The one alarm of a pass object serves four purposes: it retries a step, publishes a settled pass, and announces an expiry twice.
 * It fires on a whole second only for the expiry of a settled and published pass. So the alarm time of a settled pass shows
 * whether the pass is published, and no row has to store that.
 */
const SECOND_MS = 1_000;
/** `setAlarm` refuses times that some expiries reach. An alarm without a due event is set again. */
const EXPIRY_ALARM_MAX_MS = 365 * 86_400_000;

/** Returns the alarm time of a retry that is due after `delay`. An expiry event of the pass must not wait for a later retry. */
export function retryAlarmAt(pass: Pass, now: Milliseconds, delay: Milliseconds, noticeSeconds: number): Milliseconds {
  const expiry = expiryEventAt(pass, now, noticeSeconds) ?? Number.POSITIVE_INFINITY;
  const at = Math.floor(Math.min(now + delay, Math.max(now, expiry)));
  return isExpiryAlarm(at) ? at + 1 : at;
}

/** Returns the alarm time of a settled and published pass; undefined: it needs no alarm. */
export function expiryAlarmAt(pass: Pass, now: Milliseconds, noticeSeconds: number): Milliseconds | undefined {
  const at = expiryEventAt(pass, now, noticeSeconds);
  if (at === undefined) return undefined;
  return Math.min(at, Math.floor((now + EXPIRY_ALARM_MAX_MS) / SECOND_MS) * SECOND_MS);
}

function expiryEventAt(pass: Pass, now: Milliseconds, noticeSeconds: number): Milliseconds | undefined {
  const at = nextExpiryEventAt(pass, Math.floor(now / SECOND_MS), noticeSeconds);
  return at === undefined ? undefined : at * SECOND_MS;
}

export function isExpiryAlarm(at: Milliseconds): boolean {
  return at % SECOND_MS === 0;
}

/** Whether a settled pass with that alarm (null: none) is published: only an unpublished pass has a retry. */
export function isPublishedWith(alarm: Milliseconds | null): boolean {
  return alarm === null || isExpiryAlarm(alarm);
}
