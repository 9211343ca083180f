import { FEED_TYPE_OF, type FeedEvent, type FeedType } from './feed-types.ts';
import type { Pass, PassEvent } from './pass.ts';
import { recordOf } from './record.ts';

/**
 * Returns the pass with the feed events of the entries that its record has gained since `before`. The domain functions append
 * entries, and this is the only place that turns them into feed events. A pass of an earlier release begins with its next entry.
 */
export function collectFeedEvents(before: Pass | undefined, after: Pass): Pass {
  const { examined, last, pending } = after.feed ?? { examined: before?.events.length ?? 0, last: 0, pending: [] };
  const fresh = after.events.slice(examined);
  if (fresh.length === 0) return after;
  const added: FeedEvent[] = [];
  for (const event of fresh) {
    const type = feedTypeOf(event, before, after);
    if (type !== undefined) added.push(feedEventOf(after, event, type, last + added.length + 1));
  }
  const feed = { examined: after.events.length, last: last + added.length, pending: [...pending, ...added] };
  return { ...after, feed };
}

/** Returns the pass without the pending events up to number `handedOver`, because the feed has them. */
export function dropHandedOver(pass: Pass, handedOver: number): Pass {
  const { feed } = pass;
  if (feed === undefined || !feed.pending.some(({ n }) => n <= handedOver)) return pass;
  return { ...pass, feed: { ...feed, pending: feed.pending.filter(({ n }) => n > handedOver) } };
}

/** Returns the feed type of a new entry; undefined: the feed omits it. */
export function feedTypeOf(
  { eventType, timestamp }: PassEvent,
  before: Pass | undefined,
  after: Pass,
): FeedType | undefined {
  if (eventType === 'TOKEN_ISSUED_FAILED' && after.rejected) return 'pass.rejected';
  if (eventType === 'TOKEN_EXPIRY_CHANGED' && before && isPast(before, timestamp) && !isPast(after, timestamp))
    return 'pass.renewed';
  return FEED_TYPE_OF[eventType];
}

/** The contract counts the second of the expiry as valid. */
function isPast({ onChain: { expiry } }: Pass, now: number): boolean {
  return expiry !== undefined && now > expiry;
}

function feedEventOf(pass: Pass, event: PassEvent, type: FeedType, n: number): FeedEvent {
  const { events: _, ...record } = recordOf(pass);
  const timestamp = new Date(event.timestamp * 1000).toISOString();
  return { n, type, body: JSON.stringify({ id: `${pass.id}.${n}`, timestamp, data: { event, pass: record } }) };
}
