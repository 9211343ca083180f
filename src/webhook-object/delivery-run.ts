import type { Milliseconds } from '../lib/brand.ts';
import { type CursorExpired, type FeedPage, feedEventJson, type NumberedEvent } from '../store/feed.ts';
import { nextEarlyAt, nextRetryAt } from './retry-schedule.ts';
import { type Attempt, sendEvent } from './send-event.ts';
import type { DisabledReason, Webhook } from './webhook.ts';
import { passOf, type WaitingEvent, type WebhookStore } from './webhook-store.ts';

/** The platform allows six open connections, so more deliveries at a time would only wait. */
const PARALLEL_DELIVERIES = 6;
const PAGE_MAX_EVENTS = 100;
/** A receiver that does not answer delays the new events by the time of these retries, about a minute. */
const TURN_MAX_RETRIES = 30;
/** Beyond this number of waiting events the cursor stops, and the feed keeps the later ones. */
const MAX_WAITING = 10_000;
const NO_SUCCESS_MS = 5 * 86_400_000;
const GONE = 410;
const SUCCESS_PRECISION_MS = 1_000;

/** The sources of a run. */
export interface DeliverySources {
  readonly store: WebhookStore;
  /** Reads the feed after the webhook's cursor. Throws if the database does not answer. */
  readFeed(webhook: Webhook, limit: number): Promise<FeedPage | CursorExpired>;
  /** Whether all partners of the gatekeeper network are suspended. */
  isSuspended(webhook: Webhook): Promise<boolean>;
  /** Returns why the webhook must not have its URL; undefined: it may. The rules may have changed since it was created. */
  refusalOf(webhook: Webhook): string | undefined;
  /** Whether the run must end before its next delivery. */
  isStopped(): boolean;
  onDisabled(webhook: Webhook, reason: DisabledReason): void;
  /** Called if events after the cursor are deleted, so the webhook never delivers them. */
  onExpired(webhook: Webhook, oldest: number): void;
}

/**
 * Delivers what is due: first the retries, then the new events of the feed, page by page until none is left. Deliveries of one
 * pass are in order, and those of different passes independent. A crash repeats at most one page.
 */
export async function deliverDue(sources: DeliverySources): Promise<void> {
  const { store } = sources;
  for (;;) {
    const webhook = enabledWebhook(sources);
    if (webhook === undefined || (await sources.isSuspended(webhook))) return;
    const retried = await deliverRetries(sources, webhook);
    const isFull = store.countWaiting() >= MAX_WAITING;
    const hasMore = isFull ? false : await deliverPage(sources);
    if (retried === 0 && !hasMore) return;
  }
}

/** Returns the webhook if the run may use it. */
function enabledWebhook({ store, isStopped }: DeliverySources): Webhook | undefined {
  const webhook = store.load();
  return webhook === undefined || webhook.disabled !== undefined || isStopped() ? undefined : webhook;
}

async function deliverRetries(sources: DeliverySources, { lastSuccessAt = 0 }: Webhook): Promise<number> {
  const { store } = sources;
  const due = store.dueEvents(Date.now(), lastSuccessAt, TURN_MAX_RETRIES);
  await inParallel(due, async (event) => {
    const attempt = await attemptDelivery(sources, event);
    if (attempt === undefined) return;
    if (attempt.isDelivered) store.dropWaiting(event.sequence);
    recordAttempt(sources, event, attempt);
  });
  return due.length;
}

/** Delivers the next page of the feed. Returns whether more may be due. */
async function deliverPage(sources: DeliverySources): Promise<boolean> {
  const { store } = sources;
  const webhook = enabledWebhook(sources);
  if (webhook === undefined) return false;
  const page = await sources.readFeed(webhook, PAGE_MAX_EVENTS);
  if (page.type === 'cursor_expired') {
    sources.onExpired(webhook, page.oldest);
    moveCursor(sources, webhook.cursor, page.oldest - 1);
    return true;
  }
  if (page.next === webhook.cursor) return false;
  const byPass = Map.groupBy(page.events.map(newEvent), ({ id }) => passOf(id));
  const behind = store.waitingPasses([...byPass.keys()]);
  const left = await inParallel([...byPass], ([pass, events]) =>
    behind.has(pass) ? events : deliverInOrder(sources, events),
  );
  if (left.includes(undefined)) return false;
  for (const event of left.flat()) if (event !== undefined && event.failures === 0) store.putWaiting(event);
  // A success may have made waiting events due.
  const mayBeDue = page.events.length > 0 && store.countWaiting() > 0;
  return moveCursor(sources, webhook.cursor, page.next) && (page.more || mayBeDue);
}

/** Moves the cursor, unless a replay has moved it meanwhile. */
function moveCursor({ store }: DeliverySources, from: number, to: number): boolean {
  const webhook = store.load();
  if (webhook?.cursor !== from) return false;
  store.save({ ...webhook, cursor: to });
  return true;
}

/** Delivers events of one pass until one fails. Returns the events behind it; undefined if the run was stopped. */
async function deliverInOrder(
  sources: DeliverySources,
  events: readonly WaitingEvent[],
): Promise<readonly WaitingEvent[] | undefined> {
  for (const [index, event] of events.entries()) {
    const attempt = await attemptDelivery(sources, event);
    if (attempt === undefined) return undefined;
    const isWaiting = recordAttempt(sources, event, attempt);
    if (isWaiting) return events.slice(index + 1);
  }
  return [];
}

/** Returns the outcome of an attempt; undefined if the webhook is disabled or deleted, or the run stopped. */
async function attemptDelivery(sources: DeliverySources, { id, body }: WaitingEvent): Promise<Attempt | undefined> {
  const webhook = enabledWebhook(sources);
  if (webhook === undefined) return undefined;
  const refusal = sources.refusalOf(webhook);
  if (refusal !== undefined) return { isDelivered: false, durationMs: 0, error: `the URL ${refusal}`, retryAfterMs: 0 };
  return sendEvent(webhook.url, { id, body }, secretsOf(webhook));
}

/** Returns the secrets that sign now. */
export function secretsOf({ secret, previous }: Webhook, now = Date.now()): string[] {
  return previous !== undefined && now < previous.until ? [secret, previous.secret] : [secret];
}

/** Records an attempt. Returns whether the event waits for a retry. */
function recordAttempt(sources: DeliverySources, event: WaitingEvent, attempt: Attempt): boolean {
  const { store } = sources;
  const now = Date.now();
  const retry = attempt.isDelivered ? undefined : retryOf(event, attempt, now);
  const outcome = attempt.isDelivered ? 'delivered' : retry === undefined ? 'given_up' : 'failed';
  store.addDelivery(event, event.failures + 1, outcome, attempt);
  if (retry !== undefined) store.putWaiting(retry);
  else if (!attempt.isDelivered) store.dropWaiting(event.sequence);
  const webhook = store.load();
  if (webhook === undefined) return retry !== undefined;
  if (attempt.isDelivered) {
    const { failingSince, lastSuccessAt = 0 } = webhook;
    // Each save writes a row. A success after a failure is stored at once, because it makes the failed events due.
    if (failingSince !== undefined || now >= lastSuccessAt + SUCCESS_PRECISION_MS)
      store.save({ ...webhook, lastSuccessAt: now, failingSince: undefined });
    return false;
  }
  const { failingSince = now } = webhook;
  const reason = attempt.status === GONE ? 'gone' : now - failingSince >= NO_SUCCESS_MS ? 'no_success' : undefined;
  if (webhook.failingSince === undefined || reason !== undefined)
    store.save({ ...webhook, failingSince, disabled: webhook.disabled ?? reason });
  if (reason !== undefined && webhook.disabled === undefined) sources.onDisabled(webhook, reason);
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

function newEvent(event: NumberedEvent): WaitingEvent {
  const body = feedEventJson(event);
  const { id } = JSON.parse(body) as { id: string };
  return { sequence: event.sequence, type: event.type, id, body, failures: 0, due: 0, failedAt: 0, earlyFrom: 0 };
}

/** Runs the work for each item, a few at a time, in their order. */
async function inParallel<T, R>(items: readonly T[], work: (item: T) => R | Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const runNext = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: PARALLEL_DELIVERIES }, runNext));
  return results;
}
