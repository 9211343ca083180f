import type { FeedEvent } from '../pass/feed-types.ts';
import type { Pass } from '../pass/pass.ts';

/** Maximum number of feed events in the row of a pass, and in a publication. */
const ROW_MAX_EVENTS = 100;
const PREFIX = 'feed:';

const keyOf = ({ n }: FeedEvent) => `${PREFIX}${String(n).padStart(8, '0')}`;

/**
 * Returns the pass with its first pending events, and stores the others in rows of their own. So a pass keeps all its events
 * however long the database is unavailable. Once the first ones are handed over, the next ones take their place.
 */
export function storePending(kv: SyncKvStorage, pass: Pass): Pass {
  const { feed } = pass;
  if (feed === undefined) return pass;
  const { inRows = 0, pending: given } = feed;
  if (inRows === 0 && given.length <= ROW_MAX_EVENTS) return pass;
  const rows = [...kv.list<FeedEvent>({ prefix: PREFIX, limit: ROW_MAX_EVENTS })].map(([, event]) => event);
  const ordered = [...rows, ...given].toSorted((a, b) => a.n - b.n);
  // Later rows may lie between those that were read and the newest events.
  const isNext = ({ n }: FeedEvent, index: number) => n === (ordered[0]?.n ?? 0) + index;
  const pending = ordered.slice(0, ROW_MAX_EVENTS).filter(isNext);
  const taken = rows.filter((event) => pending.includes(event));
  const added = given.filter((event) => !pending.includes(event));
  for (const event of taken) kv.delete(keyOf(event));
  for (const event of added) kv.put(keyOf(event), event);
  return { ...pass, feed: { ...feed, pending, inRows: inRows - taken.length + added.length } };
}
