import { backoff } from '../lib/backoff.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../lib/time.ts';
import { type CursorExpired, type FeedPage, feedEventJson, type NumberedEvent } from '../store/feed.ts';
import { nextEarlyAt, nextRetryAt } from './retry-schedule.ts';
import { type Attempt, sendEvent } from './send-event.ts';
import type { DisabledReason, Webhook } from './webhook.ts';
import { eventsDeletedNotice, passOf, type WaitingEvent, type WebhookStore } from './webhook-store.ts';

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

/** The sources of a run. */
export interface DeliverySources {
  readonly store: WebhookStore;
  /** Reads the feed after the webhook's cursor. Throws if the database does not answer. */
  readFeed(webhook: Webhook, limit: number): Promise<FeedPage | CursorExpired>;
  /** Whether all partners of the gatekeeper network are suspended. */
  isSuspended(webhook: Webhook): Promise<boolean>;
  /** Returns why the webhook must not have its URL; undefined: it may. The rules may have changed since it was created. */
  refusalOf(webhook: Webhook): string | undefined;
  /** Waits until the host of the webhook may get another delivery. */
  waitForTurn(webhook: Webhook): Promise<void>;
  /** Whether the run must end before its next delivery. */
  isStopped(): boolean;
  onDisabled(webhook: Webhook, reason: DisabledReason): void;
  /** Called if events after the cursor are deleted, so the webhook never delivers them. */
  onExpired(webhook: Webhook, oldest: number): void;
  /** Called if the list of waiting events is full, and some that failed often are given up. */
  onGivenUp(webhook: Webhook, events: number): void;
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
    if (await sources.isSuspended(webhook)) return clearFailing(sources.store);
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

async function deliverRetries(run: Run, { lastSuccessAt = 0 }: Webhook): Promise<number> {
  const { store } = run;
  const due = store.dueEvents(Date.now(), lastSuccessAt, TURN_MAX_RETRIES);
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
  const page = await run.readFeed(webhook, PAGE_MAX_EVENTS);
  if (page.type === 'cursor_expired') {
    if (!moveCursor(run, webhook.cursor, page.oldest - 1)) return true;
    store.putWaiting(eventsDeletedNotice(page.oldest));
    run.onExpired(webhook, page.oldest);
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
function makeRoom({ store, onGivenUp }: Run, webhook: Webhook, places: number): boolean {
  if (store.countWaitingEvents() < MAX_WAITING) return true;
  const error = `${MAX_WAITING} events wait, and this one failed often`;
  const givenUp = store.oldestFailures(MAX_FAILURES_IF_FULL, places);
  for (const event of givenUp) {
    store.addDelivery(event, event.failures, 'given_up', { isDelivered: false, durationMs: 0, error, retryAfterMs: 0 });
    store.dropWaiting(event.sequence);
  }
  if (givenUp.length > 0) onGivenUp(webhook, givenUp.length);
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
  if (run.refusalOf(waiting) === undefined) await run.waitForTurn(waiting);
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
  const { store, onDisabled } = run;
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

/** Returns the secrets that sign now. */
export function secretsOf({ secret, previous }: Webhook, now = Date.now()): string[] {
  return previous !== undefined && now < previous.until ? [secret, previous.secret] : [secret];
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
