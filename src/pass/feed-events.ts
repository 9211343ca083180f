import { type Pass, type PassEvent, type PastStep, renews } from './pass.ts';
import { endOf, recordOf } from './record.ts';
import { STEP_KINDS } from './step-kinds.ts';
import type { EventType, FeedEvent, FeedType, FeedUsage } from './vocabulary.ts';

/**
 * The feed type of each entry in a record; undefined: the feed omits it. Two entries have another type in some cases: a final
 * refusal of an issuance is `pass.rejected`, and a new expiry of an expired token is `pass.renewed`.
 */
export const FEED_TYPE_OF: Readonly<Partial<Record<EventType, FeedType>>> = {
  ...Object.fromEntries(
    Object.values(STEP_KINDS).flatMap(({ change, feedType }) => [
      [change, feedType],
      [`${change}_FAILED`, 'pass.change_failed'],
      [`${change}_REORGED`, 'pass.reorged'],
    ]),
  ),
  TOKEN_EXPIRING: 'pass.expiring',
  TOKEN_EXPIRED: 'pass.expired',
  REFERENCE_CHANGED: 'pass.reference_changed',
  SUBJECT_CHANGED: 'pass.subject_changed',
};

/**
 * Returns the pass with the feed events of the entries that its record has gained since `before`, and of older entries whose
 * transaction has changed. The domain functions append and change entries, and this is the only place that turns them into feed
 * events.
 */
export function collectFeedEvents(before: Pass | undefined, after: Pass): Pass {
  const { examined, last, pending } = after.feed;
  const fresh = after.events.slice(examined);
  // A pass with further feed events has been compared with `before` already.
  const isCompared = last !== (before?.feed.last ?? 0);
  const changed = isCompared ? [] : changedEntries(before?.events ?? [], after.events.slice(0, examined), fresh);
  if (fresh.length === 0 && changed.length === 0) return after;
  const added: FeedEvent[] = [];
  for (const event of changed) {
    const isRenewal = after.past?.some((step) => step.renews && step.transaction === event.transaction?.identifier);
    const type = isRenewal ? 'pass.renewed' : feedTypeOf(event, undefined, after);
    // The usage has counted the change with its first event.
    if (type !== undefined) added.push(feedEventOf(after, event, type, last + added.length + 1, undefined));
  }
  for (const event of fresh) {
    const type = feedTypeOf(event, before, after);
    if (type === undefined) continue;
    const usage = usageOf(event, [...(after.past ?? []), ...(before?.past ?? [])]);
    added.push(feedEventOf(after, event, type, last + added.length + 1, usage));
  }
  const feed = { examined: after.events.length, last: last + added.length, pending: [...pending, ...added] };
  return { ...after, feed: { ...after.feed, ...feed } };
}

/**
 * Returns the entries of the feed whose transaction is another one now or has another status, unless a fresh entry shows that too.
 * Of several entries with the same transaction, it returns the newest.
 */
function changedEntries(
  before: readonly PassEvent[],
  now: readonly PassEvent[],
  fresh: readonly PassEvent[],
): PassEvent[] {
  const isOfFeed = ({ eventType }: PassEvent) => FEED_TYPE_OF[eventType] !== undefined;
  const nameOf = (event: PassEvent | undefined) =>
    event?.transaction && `${event.transaction.identifier} ${event.transaction.status}`;
  const shown = new Set(fresh.filter(isOfFeed).map(nameOf));
  const changed = now.filter(
    (event, index) => isOfFeed(event) && nameOf(event) !== nameOf(before[index]) && !shown.has(nameOf(event)),
  );
  return [...new Map(changed.map((event) => [nameOf(event), event])).values()];
}

/** Returns the feed type of a new entry; undefined: the feed omits it. */
export function feedTypeOf(
  { eventType, timestamp }: PassEvent,
  before: Pass | undefined,
  after: Pass,
): FeedType | undefined {
  if (eventType === 'TOKEN_ISSUED_FAILED' && after.rejected) return 'pass.rejected';
  if (eventType === 'TOKEN_EXPIRY_CHANGED' && before && renews(before.onChain, after.onChain, timestamp))
    return 'pass.renewed';
  return FEED_TYPE_OF[eventType];
}

/**
 * Returns the change that the usage counts for a new entry. Only a transaction of this service counts, so the entry of a change by
 * others, or of a found token, does not. The reorg of a change takes it back.
 * @param past The steps of the pass, one of which has the transaction.
 */
export function usageOf(
  { eventType, timestamp, transaction }: PassEvent,
  past: readonly PastStep[],
): FeedUsage | undefined {
  const step = past.find((each) => each.transaction === transaction?.identifier);
  if (step === undefined) return undefined;
  const { change: confirmed, usage } = STEP_KINDS[step.kind];
  const change = step.renews ? 'renewed' : usage;
  const amount = eventType === confirmed ? 1 : eventType === `${confirmed}_REORGED` ? -1 : undefined;
  if (change === undefined || amount === undefined) return undefined;
  return { month: new Date(timestamp * 1000).toISOString().slice(0, 7), change, amount };
}

function feedEventOf(pass: Pass, event: PassEvent, type: FeedType, n: number, usage: FeedUsage | undefined): FeedEvent {
  // A stored event only tells at its end that the pass has a reference or a subject. Readers of the feed add the newest ones: decision 131.
  const { events: _, reference: __, subject: ___, ...record } = recordOf(pass);
  const names = { subject: pass.subject && '', reference: pass.reference && '' };
  const timestamp = new Date(event.timestamp * 1000).toISOString();
  // Whether the pass is valid depends on the time of the reader.
  const validUntil = pass.onChain.state === 'ACTIVE' ? (endOf(pass) ?? undefined) : undefined;
  const data = { event, pass: { ...record, validUntil, ...names } };
  const body = JSON.stringify({ id: `${pass.id}.${n}`, timestamp, data });
  return { n, type, body, ...(usage && { usage }) };
}
