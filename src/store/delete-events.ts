import type { UnixSeconds } from '../lib/brand.ts';
import { answerInTime } from './d1-circuit-breaker.ts';

/** Maximum number of events that a batch deletes. Other queries of the database wait for the batch. */
const BATCH_MAX_EVENTS = 1_000;
const PAGE_MAX_FEEDS = 500;
const ANSWER_TIMEOUT_MS = 10_000;

type Preparer = Pick<D1Database, 'prepare'>;

const PAGE = `
  SELECT gatekeeper_network AS gatekeeperNetwork, (
    SELECT at FROM events WHERE events.gatekeeper_network = feeds.gatekeeper_network ORDER BY sequence LIMIT 1) AS oldest
  FROM feeds WHERE gatekeeper_network > ?1 ORDER BY gatekeeper_network LIMIT ?2`;

interface FeedAge {
  readonly gatekeeperNetwork: string;
  /** When the feed got its oldest event; null: it has no events. */
  readonly oldest: UnixSeconds | null;
}

/** Returns the feeds with events from before that time, the one with the oldest event first. Reads two rows per feed. */
export async function findFeedsToTrim(db: Preparer, before: UnixSeconds, pageMax = PAGE_MAX_FEEDS): Promise<string[]> {
  const feeds: FeedAge[] = [];
  let page: FeedAge[];
  do {
    const after = feeds.at(-1)?.gatekeeperNetwork ?? '';
    ({ results: page } = await answerInTime(db.prepare(PAGE).bind(after, pageMax).all<FeedAge>(), ANSWER_TIMEOUT_MS));
    feeds.push(...page);
  } while (page.length === pageMax);
  return feeds
    .flatMap(({ gatekeeperNetwork, oldest }) => (oldest === null ? [] : [{ gatekeeperNetwork, oldest }]))
    .filter(({ oldest }) => oldest < before)
    .toSorted((a, b) => a.oldest - b.oldest)
    .map(({ gatekeeperNetwork }) => gatekeeperNetwork);
}

/**
 * Ends before the first event that is to stay, even if a later one is older, because a clock went back. So the feed never has
 * a gap, which a reader could not notice.
 */
const DELETE = `
  DELETE FROM events WHERE gatekeeper_network = ?1 AND sequence < (
    SELECT coalesce(min(iif(at < ?2, NULL, sequence)), max(sequence) + 1)
    FROM (SELECT sequence, at FROM events WHERE gatekeeper_network = ?1 ORDER BY sequence LIMIT ?3))`;

export interface DeletedEvents {
  readonly events: number;
  /** The feeds of which as many events were deleted as the limit allows, so that they may have more. */
  readonly unfinished: readonly string[];
}

/** Deletes the events of these feeds from before that time, in one batch: of each feed the oldest ones, at most `limit`. */
export async function deleteEvents(
  db: Pick<D1Database, 'prepare' | 'batch'>,
  feeds: readonly string[],
  before: UnixSeconds,
  limit = Math.floor(BATCH_MAX_EVENTS / feeds.length),
): Promise<DeletedEvents> {
  const remove = db.prepare(DELETE);
  const results = await answerInTime(
    db.batch(feeds.map((feed) => remove.bind(feed, before, limit))),
    ANSWER_TIMEOUT_MS,
  );
  const counts = results.map(({ meta }) => meta.changes);
  return {
    events: counts.reduce((sum, count) => sum + count, 0),
    unfinished: feeds.filter((_, index) => counts[index] === limit),
  };
}
