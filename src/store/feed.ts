import type { UnixSeconds } from '../lib/units.ts';
import type { PassKey } from '../pass/pass.ts';
import { type FeedEvent, type FeedType, NOTICE_TYPES } from '../pass/vocabulary.ts';
import { answerInTime } from './d1-circuit-breaker.ts';
import { isInSandbox } from './partners.ts';
import { isHere, MOVES, type Writer } from './placements.ts';
import { askAllShards, type Databases } from './shards.ts';
import { walletIs } from './wallet-column.ts';

/** A pass with events that the feed may lack. */
interface FedPass {
  readonly key: PassKey;
  /** Id of the pass. */
  readonly id: string;
  readonly events: readonly FeedEvent[];
}

/** A feed with new events. */
export interface GrownFeed {
  readonly gatekeeperNetwork: string;
  /** The newest sequence. */
  readonly sequence: number;
  /** Ids of the webhooks to wake. */
  readonly webhooks: readonly string[];
}

/** The sequence before the first event of a feed without a row: 0, unless the database was restored. */
const FLOOR = "coalesce((SELECT sequence FROM feeds WHERE gatekeeper_network = ''), 0)";

/**
 * Adds the events that the feed lacks, in the order of each pass. `events_in_feed` counts the events of a pass that the feed has,
 * so a repeated or late publication adds nothing. Runs before the rows of the passes are written, in the same batch.
 */
const ADD = `
  INSERT INTO events (gatekeeper_network, sequence, at, type, body)
  SELECT new.gn,
    coalesce(feed.sequence, ${FLOOR}) + row_number() OVER (PARTITION BY new.gn ORDER BY new.id, new.n),
    unixepoch(), new.type, new.body
  FROM (SELECT p.value ->> 'gatekeeperNetwork' gn, p.value ->> 'id' id, p.value ->> 'wallet' wallet, p.value ->> 'chain' chain,
      p.value ->> 'network' network, e.value ->> 'n' n, e.value ->> 'type' type, e.value ->> 'body' body
    FROM json_each(?1) p, json_each(p.value, '$.events') e GROUP BY 1, 2, 6) new
  LEFT JOIN passes old ON old.gatekeeper_network = new.gn AND ${walletIs('new.wallet', 'old.')}
    AND old.chain = new.chain AND old.network = new.network
  LEFT JOIN feeds feed ON feed.gatekeeper_network = new.gn
  WHERE old.id IS NULL OR old.id < new.id OR (old.id = new.id AND new.n > old.events_in_feed)`;

/** Raises the counters to the new sequences. Runs after the rows, in the same batch. Returns the feeds with new events. */
const COUNT = `
  INSERT INTO feeds (gatekeeper_network, sequence)
  SELECT DISTINCT value ->> 'gatekeeperNetwork',
    coalesce((SELECT max(sequence) FROM events WHERE gatekeeper_network = value ->> 'gatekeeperNetwork'), ${FLOOR})
  FROM json_each(?1) WHERE true
  ON CONFLICT (gatekeeper_network) DO UPDATE SET sequence = excluded.sequence WHERE excluded.sequence > sequence
  RETURNING gatekeeper_network AS gatekeeperNetwork, sequence, webhooks`;

/** Adds the notice that the database was restored, as `npm run restore` does. */
const ADD_RESTORED = `
  INSERT INTO events (gatekeeper_network, sequence, at, type, body)
  SELECT ?1, sequence, unixepoch(), '${NOTICE_TYPES[0]}',
    json_object('id', 'restored.' || sequence, 'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  FROM (SELECT coalesce((SELECT sequence FROM feeds WHERE gatekeeper_network = ?1), ${FLOOR}) + 1 AS sequence)`;

/** Adds `feed.restored` to a feed. Returns the feed. */
export async function addRestoredNotice(db: Writer, gatekeeperNetwork: string): Promise<GrownFeed[]> {
  const count = db.prepare(COUNT).bind(JSON.stringify([{ gatekeeperNetwork }]));
  return grownFeedsIn((await db.batch([db.prepare(ADD_RESTORED).bind(gatekeeperNetwork), count])).slice(1));
}

type Preparer = Pick<D1Database, 'prepare'>;

/** Returns the JSON text of a pass with its events, for these statements. */
export function feedRowOf({ key, id, events }: FedPass): string {
  return JSON.stringify({ ...key, id, events: events.map(({ n, type, body }) => ({ n, type, body })) });
}

/** Returns the feeds in the results of `count`, each with its newest sequence. */
export function grownFeedsIn(results: readonly D1Result[]): GrownFeed[] {
  const rows = results.flatMap(
    ({ results }) => results as { gatekeeperNetwork: string; sequence: number; webhooks: string }[],
  );
  const newest = new Map(rows.map((row) => [row.gatekeeperNetwork, row]));
  return [...newest.values()].map((row) => ({ ...row, webhooks: JSON.parse(row.webhooks) as string[] }));
}

/** An event of the feed. */
export interface NumberedEvent {
  readonly sequence: number;
  readonly type: FeedType;
  /** JSON: `{ id, timestamp, data }`, in this order. */
  readonly body: string;
}

/**
 * Returns the event as JSON, as the API returns it and a webhook receives it. Inserts the members after the id, which has no
 * comma, because parsing takes six times as long.
 */
export function feedEventJson({ sequence, type, body }: NumberedEvent): string {
  return body.replace(',', `,"sequence":${sequence},"type":"${type}",`);
}

/** A page of a feed. */
export interface FeedPage {
  readonly type: 'page';
  readonly events: readonly NumberedEvent[];
  /** The last sequence that was read, whether its event is in the page or not. */
  readonly next: number;
  /** Whether the feed has later events. */
  readonly more: boolean;
}

export interface FeedQuery {
  readonly gatekeeperNetwork: string;
  /** The last sequence that the reader has; undefined: begin with the oldest event. */
  readonly after?: number | undefined;
  readonly limit: number;
  /** Undefined: all types. Notices are always among them. */
  readonly types?: readonly FeedType[] | undefined;
}

/** Events after the cursor are deleted. */
export interface CursorExpired {
  readonly type: 'cursor_expired';
  /** The oldest sequence that the feed has, or will have. */
  readonly oldest: number;
}

/** Maximum number of events that a query reads. */
const READ_MAX_EVENTS = 1_000;

const BOUNDS = `
  SELECT coalesce((SELECT sequence FROM feeds WHERE gatekeeper_network = ?1), ${FLOOR}) AS newest,
    (SELECT min(sequence) FROM events WHERE gatekeeper_network = ?1) AS oldest`;

/** The end of a stored event whose pass had a reference or a subject. It has neither of them: decision 131. */
const NAMED = '":""}}}';

export const isNamed = ({ body }: Pick<NumberedEvent, 'body'>): boolean => body.endsWith(NAMED);

/**
 * Gives each named event the names that its pass has now, or removes the fields: a patch leaves nothing that is null. A body begins with `{"id":"` and the id of the pass.
 * Reads no row for another event.
 */
const withNames = (events: string) => `
  SELECT sequence, type, iif(body LIKE '%${NAMED}',
    json_patch('{}', json_replace(body, '$.data.pass.subject', subject, '$.data.pass.reference', reference)), body) AS body
  FROM (${events}) LEFT JOIN passes ON gatekeeper_network = ?1 AND id = iif(body LIKE '%${NAMED}', substr(body, 8, 36), NULL)`;

/** Returns the read events in order, without the bodies of types that the reader does not want. */
const READ = `${withNames(`
  SELECT sequence, type, iif(?4 IS NULL OR type IN (SELECT value FROM json_each(?4)), body, NULL) AS body
  FROM events NOT INDEXED WHERE gatekeeper_network = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3`)} ORDER BY sequence`;

const NAME = `${withNames(`
  SELECT 0 AS sequence, 0 AS type, value AS body FROM json_each(?2)`)}`;

interface Bounds {
  /** The newest sequence of the feed. */
  newest: number;
  /** The oldest sequence that the feed still has; null: none. */
  oldest: number | null;
}

type ReadEvent = Omit<NumberedEvent, 'body'> & { body: string | null };

/** Returns the events after the cursor. Reads one version of the database, so that no event is skipped. */
export async function readFeed(
  db: Pick<D1Database, 'prepare' | 'batch'>,
  { gatekeeperNetwork, after, limit, types }: FeedQuery,
): Promise<FeedPage | CursorExpired> {
  const wanted = types === undefined ? null : JSON.stringify([...types, ...NOTICE_TYPES]);
  const reads = types === undefined ? limit : READ_MAX_EVENTS;
  const [bounds, page] = await db.batch([
    db.prepare(BOUNDS).bind(gatekeeperNetwork),
    db.prepare(READ).bind(gatekeeperNetwork, after ?? 0, reads, wanted),
  ]);
  const [{ newest, oldest: kept } = { newest: 0, oldest: null }] = (bounds?.results ?? []) as Bounds[];
  const oldest = kept ?? newest + 1;
  if (after !== undefined && after + 1 < oldest) return { type: 'cursor_expired', oldest };
  const read = (page?.results ?? []) as ReadEvent[];
  const matching = read.flatMap(({ body, ...event }) => (body === null ? [] : [{ ...event, body }]));
  const events = matching.slice(0, limit);
  // If the page is full, the events after its last one belong to the next page.
  const last = events.length < matching.length ? events.at(-1) : read.at(-1);
  const next = last?.sequence ?? after ?? oldest - 1;
  return { type: 'page', events, next, more: next < newest };
}

/** Events of a gatekeeper network as JSON texts. */
interface EventTexts {
  readonly gatekeeperNetwork: string;
  readonly bodies: readonly string[];
}

/** Returns these events in their order, each named one with the names that its pass has now. */
export async function nameEvents(db: Preparer, { gatekeeperNetwork, bodies }: EventTexts): Promise<string[]> {
  const named = db.prepare(NAME).bind(gatekeeperNetwork, JSON.stringify(bodies));
  return (await named.all<{ body: string }>()).results.map(({ body }) => body);
}

/** More than the events of any feed, and less than the sequences that a restore skips. */
const SKIPPED_MIN = 1_000_000_000;

const COUNT_BETWEEN = `
  SELECT count(*) AS n FROM (
    SELECT 1 FROM events NOT INDEXED WHERE gatekeeper_network = ?1 AND sequence > ?2 AND sequence <= ?3
    LIMIT ?4)`;

/** The sequences after one up to another, and the largest count of interest. */
export interface SequenceRange {
  readonly after: number;
  readonly upTo: number;
  readonly max: number;
}

/** Returns the number of events in the range, at most `max` if a restore has skipped sequences in it. */
export async function countEvents(
  db: Preparer,
  gatekeeperNetwork: string,
  { after, upTo, max }: SequenceRange,
): Promise<number> {
  // A feed has no gap but this one. So most counts read nothing.
  if (upTo - after < SKIPPED_MIN) return Math.max(0, upTo - after);
  return (await db.prepare(COUNT_BETWEEN).bind(gatekeeperNetwork, after, upTo, max).first<number>('n')) ?? 0;
}

const NEWEST = `
  SELECT coalesce((SELECT sequence FROM feeds WHERE gatekeeper_network = ?1), ${FLOOR}) AS newest`;

/** Returns the newest sequence of a feed; 0 if it never had an event. */
export async function newestSequence(db: Preparer, gatekeeperNetwork: string): Promise<number> {
  return (await db.prepare(NEWEST).bind(gatekeeperNetwork).first<number>('newest')) ?? 0;
}

/** Maximum number of events that a batch deletes. Other queries of the database wait for the batch. */
const BATCH_MAX_EVENTS = 1_000;
const PAGE_MAX_FEEDS = 500;
const ANSWER_TIMEOUT_MS = 10_000;

const OLDEST = `
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
    ({ results: page } = await answerInTime(db.prepare(OLDEST).bind(after, pageMax).all<FeedAge>(), ANSWER_TIMEOUT_MS));
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
 * a gap, which a reader could not notice. While the feed moves, it stays as it is.
 */
const DELETE = `
  DELETE FROM events WHERE gatekeeper_network = ?1 AND sequence < (
    SELECT coalesce(min(iif(at < ?2, NULL, sequence)), max(sequence) + 1)
    FROM (SELECT sequence, at FROM events WHERE gatekeeper_network = ?1 ORDER BY sequence LIMIT iif(${MOVES}, 0, ?3)))`;

interface DeletedEvents {
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

/** Maximum number of webhooks of a gatekeeper network. */
export const MAX_WEBHOOKS = 5;

const WEBHOOKS = `SELECT webhooks FROM feeds WHERE gatekeeper_network = ?1`;

/** Returns the ids of the webhooks of a gatekeeper network. */
export async function webhooksOf(db: Writer, gatekeeperNetwork: string): Promise<string[]> {
  const [listed] = await db.batch<{ webhooks: string }>([db.prepare(WEBHOOKS).bind(gatekeeperNetwork)]);
  return JSON.parse(listed?.results[0]?.webhooks ?? '[]') as string[];
}

const ADD_WEBHOOK = `
  INSERT INTO feeds (gatekeeper_network, sequence, webhooks) VALUES (?1, ${FLOOR}, json_array(?2))
  ON CONFLICT (gatekeeper_network) DO UPDATE SET webhooks = json_insert(webhooks, '$[#]', ?2)
    WHERE json_array_length(webhooks) < ${MAX_WEBHOOKS} AND ?2 NOT IN (SELECT value FROM json_each(webhooks))`;

/** Lists a webhook, so that publications wake it. Returns whether it was added: not if it is listed, or if the list is full. */
export const addWebhook = (db: Writer, gatekeeperNetwork: string, id: string): Promise<boolean> =>
  changeWebhooks(db, ADD_WEBHOOK, gatekeeperNetwork, id);

const REMOVE_WEBHOOK = `
  UPDATE feeds SET webhooks = (SELECT json_group_array(value) FROM json_each(webhooks) WHERE value <> ?2)
  WHERE gatekeeper_network = ?1 AND ?2 IN (SELECT value FROM json_each(webhooks))`;

/** Removes a webhook from the list. Returns whether it was listed. */
export const removeWebhook = (db: Writer, gatekeeperNetwork: string, id: string): Promise<boolean> =>
  changeWebhooks(db, REMOVE_WEBHOOK, gatekeeperNetwork, id);

async function changeWebhooks(db: Writer, sql: string, gatekeeperNetwork: string, id: string): Promise<boolean> {
  const [changed] = await db.batch([db.prepare(sql).bind(gatekeeperNetwork, id)]);
  return (changed?.meta.changes ?? 0) > 0;
}

/** A feed with webhooks. */
interface WatchedFeed {
  readonly gatekeeperNetwork: string;
  /** The newest sequence. */
  readonly sequence: number;
  /** Ids of its webhooks. */
  readonly webhooks: readonly string[];
}

/** A page of the merged feeds of all shards. */
export interface WatchedFeeds {
  readonly feeds: readonly (WatchedFeed & { readonly shard: string })[];
  /** Names of the shards that did not answer, whose feeds are missing. */
  readonly unread: readonly string[];
}

const WATCHED = `
  SELECT gatekeeper_network AS gatekeeperNetwork, sequence, webhooks FROM feeds NOT INDEXED
  WHERE gatekeeper_network > ?1 AND webhooks <> '[]' AND ${isHere('feeds')} ORDER BY gatekeeper_network LIMIT ?2`;

/** Returns the feeds with webhooks after a gatekeeper network, in the order of their gatekeeper networks. */
export async function watchedFeedsAfter(databases: Databases, after: string, limit: number): Promise<WatchedFeeds> {
  const { answers, unread } = await askAllShards(databases, (db) => watchedFeedsIn(db, after, limit));
  const feeds = answers.flatMap(({ shard, answer }) => answer.map((feed) => ({ ...feed, shard })));
  const ordered = feeds.toSorted((a, b) => (a.gatekeeperNetwork < b.gatekeeperNetwork ? -1 : 1));
  return { feeds: ordered.slice(0, limit), unread };
}

async function watchedFeedsIn(db: Preparer, after: string, limit: number): Promise<WatchedFeed[]> {
  const { results } = await db
    .prepare(WATCHED)
    .bind(after, limit)
    .all<Omit<WatchedFeed, 'webhooks'> & { webhooks: string }>();
  return results.map((row) => ({ ...row, webhooks: JSON.parse(row.webhooks) as string[] }));
}

const COUNT_WEBHOOKS = `
  SELECT coalesce(sum(json_array_length(webhooks)), 0) AS n FROM feeds NOT INDEXED
  WHERE gatekeeper_network > '' AND NOT ${isInSandbox('gatekeeper_network')} AND webhooks <> '[]' AND ${isHere('feeds')}`;

/** Returns the number of webhooks in the shards that answer, without those of sandboxes. */
export async function countWebhooks(databases: Databases): Promise<number> {
  const { answers } = await askAllShards(databases, (db) => db.prepare(COUNT_WEBHOOKS).first<number>('n'));
  return answers.reduce((sum, { answer }) => sum + (answer ?? 0), 0);
}

/** The statements that partners' requests use. Each binds the gatekeeper network first. */
export const WEBHOOK_SQL = { list: WEBHOOKS, add: ADD_WEBHOOK, remove: REMOVE_WEBHOOK };

/** The statements of the feed. `add` runs before the rows of the passes are written, `count` after. Both bind the same text. */
export const FEED_SQL = {
  add: ADD,
  count: COUNT,
  bounds: BOUNDS,
  read: READ,
  name: NAME,
  newest: NEWEST,
  countBetween: COUNT_BETWEEN,
};
