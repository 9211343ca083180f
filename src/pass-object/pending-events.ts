import { eventsInFeedOf } from '../pass/feed-events.ts';
import type { FeedEvent } from '../pass/feed-types.ts';
import type { Pass, PassFeed } from '../pass/pass.ts';

/** Maximum number of feed events in the row of a pass, and in a publication. */
const ROW_MAX_EVENTS = 100;
const PREFIX = 'feed:';

const keyOf = (n: number) => `${PREFIX}${String(n).padStart(8, '0')}`;

/**
 * Returns the first events after the ones that the feed is known to have, in order and without a gap, from the row of the pass
 * and the rows of their own. It returns none only if the object stores none: it then never had them, or an earlier release has
 * handed them over.
 */
function eventsAfter(kv: SyncKvStorage, eventsInFeed: number, { pending, last }: PassFeed): readonly FeedEvent[] {
  const given = pending.filter(({ n }) => n > eventsInFeed);
  const isComplete = given.length === last - eventsInFeed;
  const list = { prefix: PREFIX, start: keyOf(eventsInFeed + 1), limit: ROW_MAX_EVENTS };
  const rows = isComplete ? [] : [...kv.list<FeedEvent>(list)].map(([, event]) => event);
  const ordered = [...rows, ...given].toSorted((a, b) => a.n - b.n).slice(0, ROW_MAX_EVENTS);
  // Later rows may lie between those that were read and the newest events.
  return ordered.filter(({ n }, index) => n === (ordered[0]?.n ?? 0) + index);
}

/** Returns the pass with its first pending events, as a publication carries them. Writes nothing. */
export function fillPending(kv: SyncKvStorage, pass: Pass): Pass {
  const { feed } = pass;
  if (feed === undefined) return pass;
  const pending = eventsAfter(kv, eventsInFeedOf(feed), feed);
  const eventsInFeed = (pending[0]?.n ?? feed.last + 1) - 1;
  const inRows = feed.last - eventsInFeed - pending.length;
  return { ...pass, feed: { ...feed, eventsInFeed, pending, inRows: inRows > 0 ? inRows : undefined } };
}

/**
 * Returns the pass with its first pending events, and stores the others in rows of their own. So a pass keeps all its events
 * however long the database is unavailable. Once the first ones are handed over, the next ones take their place.
 */
export function storePending(kv: SyncKvStorage, given: Pass): Pass {
  const pass = fillPending(kv, given);
  if (pass.feed === undefined || (given.feed?.inRows ?? pass.feed.inRows) === undefined) return pass;
  const { last, inRows = 0 } = pass.feed;
  const lastInPass = last - inRows;
  for (const [key] of kv.list({ prefix: PREFIX, end: keyOf(lastInPass + 1) })) kv.delete(key);
  for (const event of given.feed?.pending ?? []) if (event.n > lastInPass) kv.put(keyOf(event.n), event);
  return pass;
}
