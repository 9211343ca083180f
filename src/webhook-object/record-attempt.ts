import type { Milliseconds } from '../lib/brand.ts';
import { nextEarlyAt, nextRetryAt } from './retry-schedule.ts';
import type { Attempt } from './send-event.ts';
import type { DisabledReason, Webhook } from './webhook.ts';
import type { WaitingEvent, WebhookStore } from './webhook-store.ts';

const NO_SUCCESS_MS = 5 * 86_400_000;
const GONE = 410;
const SUCCESS_PRECISION_MS = 1_000;

interface AttemptListeners {
  readonly store: WebhookStore;
  onDisabled(webhook: Webhook, reason: DisabledReason): void;
}

/** Records an attempt. Returns whether the event waits for a retry. */
export function recordAttempt({ store, onDisabled }: AttemptListeners, event: WaitingEvent, attempt: Attempt): boolean {
  const now = Date.now();
  const retry = attempt.isDelivered ? undefined : retryOf(event, attempt, now);
  const outcome = attempt.isDelivered ? 'delivered' : retry === undefined ? 'given_up' : 'failed';
  store.addDelivery(event, event.failures + 1, outcome, attempt);
  if (retry !== undefined) store.putWaiting(retry);
  else if (!attempt.isDelivered) store.dropWaiting(event.sequence);
  const webhook = store.load();
  if (webhook === undefined) return retry !== undefined;
  if (attempt.isDelivered) {
    const { failingSince, pause, lastSuccessAt = 0 } = webhook;
    // Each save writes a row. A success after a failure is stored at once, because it makes the failed events due.
    if (failingSince !== undefined || pause !== undefined || now >= lastSuccessAt + SUCCESS_PRECISION_MS)
      store.save({ ...webhook, lastSuccessAt: now, failingSince: undefined, pause: undefined });
    return false;
  }
  const { failingSince = now } = webhook;
  const reason = attempt.status === GONE ? 'gone' : now - failingSince >= NO_SUCCESS_MS ? 'no_success' : undefined;
  // If nothing waits, nothing is tried again. The time until the next event must not count as a time of failures.
  const isOver = retry === undefined && store.countWaiting() === 0;
  if (webhook.failingSince === undefined || reason !== undefined || isOver)
    store.save({ ...webhook, failingSince: isOver ? undefined : failingSince, disabled: webhook.disabled ?? reason });
  if (reason !== undefined && webhook.disabled === undefined) onDisabled(webhook, reason);
  return retry !== undefined;
}

/**
 * Returns the event with its next retry; undefined: there is none left. An attempt before its time, after a success of another
 * event, uses up no retry. Otherwise an event that always fails would use them up while others succeed.
 */
function retryOf(event: WaitingEvent, { retryAfterMs }: Attempt, now: Milliseconds): WaitingEvent | undefined {
  if (event.failures > 0 && now < event.due) {
    const earlyFrom = nextEarlyAt(event.earlyFrom - event.failedAt, now, retryAfterMs);
    return { ...event, due: Math.max(event.due, now + retryAfterMs), failedAt: now, earlyFrom };
  }
  const failures = event.failures + 1;
  const due = nextRetryAt(failures, now, retryAfterMs, Math.random());
  if (due === undefined) return undefined;
  return { ...event, failures, due: Math.ceil(due), failedAt: now, earlyFrom: nextEarlyAt(0, now, retryAfterMs) };
}
