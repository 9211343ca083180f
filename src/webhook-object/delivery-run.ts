import { backoff, DAY_MS, HOUR_MS, MINUTE_MS, type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { logFault } from '../log/log.ts';
import { feedEventJson, type NumberedEvent } from '../store/feed.ts';
import type { DeliveryTurns } from './delivery-turns.ts';
import type { FeedReader } from './feed-reader.ts';
import { type Attempt, sendEvent } from './send-event.ts';
import {
  eventsDeletedNotice,
  factsOf,
  passOf,
  secretsOf,
  type WaitingEvent,
  type Webhook,
  type WebhookStore,
} from './webhook-store.ts';

/** The platform allows six open connections, so more deliveries at a time would only wait. */
const PARALLEL_DELIVERIES = 6;
const PAGE_MAX_EVENTS = 100;
/** A receiver that does not answer delays the new events by the time of these retries, about a minute. */
const TURN_MAX_RETRIES = 30;
/** Beyond this number of waiting events, those that failed often give up their places, or the cursor stops. */
const MAX_WAITING = 10_000;
/** The failures after which an event gives up its place in a full list: it has failed for five minutes. */
const MAX_FAILURES_IF_FULL = 3;
/** Number of failures in a row after which a run continues with newer events, or pauses. */
const MAX_FAILURES_IN_ROW = 10;
const PAUSE_MIN_MS = 10 * SECOND_MS;
/** If only retries fail, the receiver may accept the next new event. */
const PAUSE_MAX_MS = { newEvents: 10 * MINUTE_MS, retries: MINUTE_MS };
const NO_SUCCESS_MS = 5 * DAY_MS;
const GONE = 410;
/** Each success within this time after another one would write a row. */
const SUCCESS_PRECISION_MS = SECOND_MS;

export interface DeliverySources {
  readonly store: WebhookStore;
  readonly feed: FeedReader;
  readonly turns: DeliveryTurns;
  /** Returns why the webhook must not have its URL; undefined: it may. The rules may have changed since it was created. */
  refusalOf(webhook: Webhook): string | undefined;
  /** Whether the run must end before its next delivery. */
  isStopped(): boolean;
}

/** A run with its outcomes so far. */
interface Run extends DeliverySources {
  failuresInRow: number;
  hasDelivered: boolean;
}

/**
 * Delivers what is due: first the retries, then the new events of the feed, page by page until none is left. Deliveries of one
 * pass are in order, and those of different passes independent. A crash repeats at most one page.
 *
 * A run ends with a pause if its retries and its new events fail ten times in a row each. So a receiver that is down costs little,
 * and one that refuses only some events gets the others.
 */
export async function deliverDue(sources: DeliverySources): Promise<void> {
  for (;;) {
    const webhook = activeWebhook(sources);
    if (webhook === undefined) return;
    if (await sources.feed.isSuspended(webhook)) return clearFailing(sources.store);
    const retries: Run = { ...sources, failuresInRow: 0, hasDelivered: false };
    const retried = await deliverRetries(retries, webhook);
    const page: Run = { ...sources, failuresInRow: 0, hasDelivered: false };
    const hasMore = await deliverPage(page);
    if (isFailing(page)) return pause(sources.store, PAUSE_MAX_MS.newEvents);
    if (isFailing(retries) && !page.hasDelivered) return pause(sources.store, PAUSE_MAX_MS.retries);
    if (retried === 0 && !hasMore) return;
  }
}

/** Returns the webhook if the run may use it. */
function activeWebhook({ store, isStopped }: DeliverySources): Webhook | undefined {
  const webhook = store.load();
  if (webhook === undefined || isStopped()) return undefined;
  const { disabled, isNew, pause } = webhook;
  return disabled === undefined && !isNew && Date.now() >= (pause?.until ?? 0) ? webhook : undefined;
}

const isFailing = ({ failuresInRow }: Run) => failuresInRow >= MAX_FAILURES_IN_ROW;

/** Each pause is twice as long as the one before. */
function pause(store: WebhookStore, maxMs: Milliseconds): void {
  const webhook = store.load();
  if (webhook === undefined) return;
  const count = webhook.pause?.count ?? 0;
  const until = Date.now() + backoff(PAUSE_MIN_MS, count, maxMs);
  store.save({ ...webhook, pause: { until, count: count + 1 } });
}

/** While all partners are suspended, nothing is delivered. This time must not disable the webhook afterwards. */
function clearFailing(store: WebhookStore): void {
  const webhook = store.load();
  if (webhook?.failingSince !== undefined) store.save({ ...webhook, failingSince: undefined });
}

async function deliverRetries(run: Run, webhook: Webhook): Promise<number> {
  const { store, feed } = run;
  const { lastSuccessAt = 0 } = webhook;
  const due = await feed.nameEvents(webhook, store.dueEvents(Date.now(), lastSuccessAt, TURN_MAX_RETRIES));
  await inParallel(due, async (event) => {
    const attempt = await attemptDelivery(run, event);
    if (attempt === undefined) return;
    if (attempt.isDelivered) store.dropWaiting(event.sequence);
    recordAttempt(run, event, attempt);
  });
  return due.length;
}

/** Delivers the next page of the feed. Returns whether more may be due. */
async function deliverPage(run: Run): Promise<boolean> {
  const { store } = run;
  const webhook = activeWebhook(run);
  if (webhook === undefined) return false;
  const page = await run.feed.readAfter(webhook, webhook.cursor, PAGE_MAX_EVENTS);
  if (page.type === 'cursor_expired') {
    if (!moveCursor(run, webhook.cursor, page.oldest - 1)) return true;
    store.putWaiting(eventsDeletedNotice(page.oldest));
    const place = { after: webhook.cursor, oldest: page.oldest };
    logFault('webhook.events_expired', 'the feed has deleted them', { ...factsOf(webhook), ...place });
    return true;
  }
  if (page.next === webhook.cursor || !makeRoom(run, webhook, page.events.length)) return false;
  const byPass = Map.groupBy(page.events.map(newEvent), ({ id }) => passOf(id));
  const behind = store.waitingPasses([...byPass.keys()]);
  const left = await inParallel([...byPass], ([pass, events]) =>
    behind.has(pass) ? events : deliverInOrder(run, events),
  );
  if (left.includes(undefined)) return false;
  for (const event of left.flat()) if (event !== undefined) store.putWaiting(event);
  // A success may have made waiting events due.
  const mayBeDue = page.events.length > 0 && store.countWaitingEvents() > 0;
  return moveCursor(run, webhook.cursor, page.next) && (page.more || mayBeDue);
}

/**
 * Returns whether the list has room for new events. If it is full, its oldest events that failed often are given up: otherwise a
 * receiver that always refuses one type would get no other type either. A replay delivers them while the feed has them.
 */
function makeRoom({ store }: Run, webhook: Webhook, places: number): boolean {
  if (store.countWaitingEvents() < MAX_WAITING) return true;
  const error = `${MAX_WAITING} events wait, and this one failed often`;
  const givenUp = store.oldestFailures(MAX_FAILURES_IF_FULL, places);
  for (const event of givenUp) {
    store.addDelivery(event, event.failures, 'given_up', { isDelivered: false, durationMs: 0, error, retryAfterMs: 0 });
    store.dropWaiting(event.sequence);
  }
  const facts = { ...factsOf(webhook), events: givenUp.length };
  if (givenUp.length > 0) logFault('webhook.events_given_up', 'too many events wait', facts);
  return store.countWaitingEvents() < MAX_WAITING;
}

/** Moves the cursor, unless a replay has moved it meanwhile. */
function moveCursor({ store }: Run, from: number, to: number): boolean {
  const webhook = store.load();
  if (webhook?.cursor !== from) return false;
  store.save({ ...webhook, cursor: to });
  return true;
}

/** Delivers events of one pass until one fails. Returns the events to put behind it; undefined if the run was stopped. */
async function deliverInOrder(run: Run, events: readonly WaitingEvent[]): Promise<readonly WaitingEvent[] | undefined> {
  for (const [index, event] of events.entries()) {
    const attempt = await attemptDelivery(run, event);
    if (attempt === undefined) return activeWebhook(run) === undefined ? undefined : events.slice(index);
    const isWaiting = recordAttempt(run, event, attempt);
    if (isWaiting) return events.slice(index + 1);
  }
  return [];
}

/** Returns the outcome of an attempt; undefined if the run or the webhook ended, or too many attempts in a row failed. */
async function attemptDelivery(run: Run, event: WaitingEvent): Promise<Attempt | undefined> {
  const waiting = isFailing(run) ? undefined : activeWebhook(run);
  if (waiting === undefined) return undefined;
  if (run.refusalOf(waiting) === undefined) await run.turns.wait(waiting);
  // Others may have failed meanwhile, or the webhook may have changed.
  const webhook = isFailing(run) ? undefined : activeWebhook(run);
  if (webhook === undefined) return undefined;
  // The turn was one at another host.
  if (webhook.url !== waiting.url) return attemptDelivery(run, event);
  const refusal = run.refusalOf(webhook);
  if (refusal !== undefined) return { isDelivered: false, durationMs: 0, error: `the URL ${refusal}`, retryAfterMs: 0 };
  return sendEvent(webhook.url, event, secretsOf(webhook));
}

/** Records an attempt. Returns whether the event waits for a retry. */
function recordAttempt(run: Run, event: WaitingEvent, attempt: Attempt): boolean {
  run.failuresInRow = attempt.isDelivered ? 0 : run.failuresInRow + 1;
  run.hasDelivered ||= attempt.isDelivered;
  const { store } = run;
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
  const isOver = retry === undefined && store.countWaitingEvents() === 0;
  if (webhook.failingSince === undefined || reason !== undefined || isOver)
    store.save({ ...webhook, failingSince: isOver ? undefined : failingSince, disabled: webhook.disabled ?? reason });
  if (reason !== undefined && webhook.disabled === undefined) logFault('webhook.disabled', reason, factsOf(webhook));
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

/** Delays of the nine retries. */
export const RETRY_DELAYS_MS: readonly Milliseconds[] = [
  ...[5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];
/** A random share lengthens each delay, so that the retries of many events spread. */
const JITTER_SHARE = 0.1;
const EARLY_MIN_MS = 5 * SECOND_MS;
const EARLY_MAX_MS = 10 * MINUTE_MS;

/**
 * Returns when the next retry is due; undefined: there is none left. Pure.
 * @param failures Number of scheduled attempts that failed, including the first one.
 * @param retryAfterMs The delay that the receiver asks for. It only lengthens the delay.
 * @param random From 0 to 1.
 */
export function nextRetryAt(
  failures: number,
  now: Milliseconds,
  retryAfterMs: Milliseconds,
  random: number,
): Milliseconds | undefined {
  const delay = RETRY_DELAYS_MS[failures - 1];
  if (delay === undefined) return undefined;
  return now + Math.max(delay * (1 + JITTER_SHARE * random), retryAfterMs);
}

/**
 * Returns from when on a success of another event makes a failed event due before its time. If it fails again and again while
 * others succeed, the time doubles. Pure.
 * @param beforeMs This delay after the attempt before; 0: that attempt was a scheduled one, or the first.
 */
export function nextEarlyAt(beforeMs: Milliseconds, now: Milliseconds, retryAfterMs: Milliseconds): Milliseconds {
  return now + Math.max(EARLY_MIN_MS, Math.min(2 * beforeMs, EARLY_MAX_MS), retryAfterMs);
}
