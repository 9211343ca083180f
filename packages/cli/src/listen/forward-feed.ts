import { type EventPage, type FeedEvent, GatepassProblem, GatepassUnreachable } from '@gatepass/client';
import { describeFault } from '../failure.ts';
import { limitPages } from '../page-limit.ts';
import type { Attempt } from './forward-event.ts';

/** The parts of the command that follow the feed and show it. */
export interface ForwardParts {
  readEvents(after: number): Promise<EventPage>;
  forward(event: FeedEvent): Promise<Attempt>;
  /** Shows an attempt. `nextMs`: the pause before the next one; undefined: there is none. */
  show(event: FeedEvent, attempt: Attempt, nextMs: number | undefined): void;
  note(line: string): void;
  /** Called after each event with its sequence. */
  onPassed(sequence: number): void;
  pause(ms: number): Promise<void>;
}

const POLL_MS = 2_000;
/** The pauses before the retries of an event. A developer who restarts a receiver needs no longer ones. */
const RETRY_PAUSES_MS = [1_000, 3_000, 10_000];
const SERVICE_PAUSE_MS = 5_000;
const SERVICE_PAUSE_MAX_MS = 60_000;

/**
 * Follows the feed and delivers each event in order. After the last retry it continues with the next event, and tries that one only once
 * while the receiver delivers nothing: one dead receiver must not hold up the feed. It waits for a service that does not answer. Never
 * returns. Throws a refusal of the service.
 */
export async function forwardFeed(after: number, parts: ForwardParts): Promise<never> {
  const countPage = limitPages(Number.POSITIVE_INFINITY);
  let next = after;
  let isReceiving = true;
  for (;;) {
    const page = await readPage(next, parts);
    if (typeof page === 'number') {
      next = page;
      continue;
    }
    for (const event of page.events) {
      isReceiving = await deliver(event, isReceiving ? RETRY_PAUSES_MS : [], parts);
      parts.onPassed(event.sequence);
    }
    next = page.next;
    if (page.more) countPage(page.events.length);
    else await parts.pause(POLL_MS);
  }
}

/** Returns whether the receiver got the event. */
async function deliver(event: FeedEvent, pauses: readonly number[], parts: ForwardParts): Promise<boolean> {
  for (let tried = 0; ; tried += 1) {
    const attempt = await parts.forward(event);
    // The service would disable the webhook.
    const nextMs = attempt.isDelivered || attempt.status === 410 ? undefined : pauses[tried];
    parts.show(event, attempt, nextMs);
    if (nextMs === undefined) return attempt.isDelivered;
    await parts.pause(nextMs);
  }
}

/** Returns the page after the sequence, or the sequence to try next. */
async function readPage(after: number, { readEvents, note, pause }: ForwardParts): Promise<EventPage | number> {
  try {
    return await readEvents(after);
  } catch (fault) {
    if (fault instanceof GatepassProblem && fault.code === 'cursor_expired') {
      note('the feed has deleted the next events: continues with the oldest one that is left');
      return Math.max(after + 1, (fault.oldest ?? 1) - 1);
    }
    const isAway = fault instanceof GatepassProblem && (fault.status === 429 || fault.status >= 500);
    if (!isAway && !(fault instanceof GatepassUnreachable)) throw fault;
    const asked = fault instanceof GatepassProblem ? fault.retryAfterMs : undefined;
    const ms = Math.min(SERVICE_PAUSE_MAX_MS, asked ?? SERVICE_PAUSE_MS);
    note(`${describeFault(fault)}; asks again in ${Math.ceil(ms / 1000)} s`);
    await pause(ms);
    return after;
  }
}
