import { EVENTS_DELETED } from '../pass/feed-types.ts';
import { isoTime } from './webhook.ts';
import type { WaitingEvent } from './webhook-store.ts';

/** Returns the notice that events before the oldest one are deleted, in the place of the last of them. */
export function eventsDeletedNotice(oldest: number, now = Date.now()): WaitingEvent {
  const sequence = oldest - 1;
  const id = `deleted.${sequence}`;
  const body = JSON.stringify({ id, sequence, type: EVENTS_DELETED, timestamp: isoTime(now) });
  return { sequence, type: EVENTS_DELETED, id, body, failures: 0, due: 0, failedAt: 0, earlyFrom: 0 };
}
