import { FLOOR } from './feed.ts';
import { type Databases, shardNamesOf, shardOf } from './shards.ts';

/** Maximum number of webhooks of a gatekeeper network. */
export const MAX_WEBHOOKS = 5;

type Preparer = Pick<D1Database, 'prepare'>;

const LIST = 'SELECT webhooks FROM feeds WHERE gatekeeper_network = ?1';

/** Returns the ids of the webhooks of a gatekeeper network. */
export async function webhooksOf(db: Preparer, gatekeeperNetwork: string): Promise<string[]> {
  const webhooks = await db.prepare(LIST).bind(gatekeeperNetwork).first<{ webhooks: string }>();
  return webhooks === null ? [] : (JSON.parse(webhooks.webhooks) as string[]);
}

const ADD = `
  INSERT INTO feeds (gatekeeper_network, sequence, webhooks) VALUES (?1, ${FLOOR}, json_array(?2))
  ON CONFLICT (gatekeeper_network) DO UPDATE SET webhooks = json_insert(webhooks, '$[#]', ?2)
    WHERE json_array_length(webhooks) < ${MAX_WEBHOOKS} AND ?2 NOT IN (SELECT value FROM json_each(webhooks))`;

/** Lists a webhook, so that publications wake it. Returns whether it was added: not if it is listed, or if the list is full. */
export async function addWebhook(db: Preparer, gatekeeperNetwork: string, id: string): Promise<boolean> {
  return (await db.prepare(ADD).bind(gatekeeperNetwork, id).run()).meta.changes > 0;
}

const REMOVE = `
  UPDATE feeds SET webhooks = (SELECT json_group_array(value) FROM json_each(webhooks) WHERE value <> ?2)
  WHERE gatekeeper_network = ?1 AND ?2 IN (SELECT value FROM json_each(webhooks))`;

/** Removes a webhook from the list. Returns whether it was listed. */
export async function removeWebhook(db: Preparer, gatekeeperNetwork: string, id: string): Promise<boolean> {
  return (await db.prepare(REMOVE).bind(gatekeeperNetwork, id).run()).meta.changes > 0;
}

/** A feed with webhooks. */
export interface WatchedFeed {
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
  WHERE gatekeeper_network > ?1 AND webhooks <> '[]' ORDER BY gatekeeper_network LIMIT ?2`;

/** Returns the feeds with webhooks after a gatekeeper network, in the order of their gatekeeper networks. */
export async function watchedFeedsInAllShards(
  databases: Databases,
  after: string,
  limit: number,
): Promise<WatchedFeeds> {
  const names = shardNamesOf(databases);
  const reads = await Promise.allSettled(
    names.map((name) => watchedFeedsAfter(shardOf(databases, name).db, after, limit)),
  );
  const feeds = reads.flatMap((read, index) =>
    read.status === 'rejected' ? [] : read.value.map((feed) => ({ ...feed, shard: names[index] ?? '' })),
  );
  return {
    feeds: feeds.toSorted((a, b) => (a.gatekeeperNetwork < b.gatekeeperNetwork ? -1 : 1)).slice(0, limit),
    unread: names.filter((_, index) => reads[index]?.status === 'rejected'),
  };
}

async function watchedFeedsAfter(db: Preparer, after: string, limit: number): Promise<WatchedFeed[]> {
  const { results } = await db
    .prepare(WATCHED)
    .bind(after, limit)
    .all<Omit<WatchedFeed, 'webhooks'> & { webhooks: string }>();
  return results.map((row) => ({ ...row, webhooks: JSON.parse(row.webhooks) as string[] }));
}

const COUNT = `
  SELECT coalesce(sum(json_array_length(webhooks)), 0) AS n FROM feeds NOT INDEXED
  WHERE gatekeeper_network > '' AND webhooks <> '[]'`;

/** Returns the number of webhooks in the shards that answer. */
export async function countWebhooksInAllShards(databases: Databases): Promise<number> {
  const counts = await Promise.allSettled(
    shardNamesOf(databases).map((name) => shardOf(databases, name).db.prepare(COUNT).first<number>('n')),
  );
  return counts.reduce((sum, count) => sum + (count.status === 'fulfilled' ? (count.value ?? 0) : 0), 0);
}

/** The statements that partners' requests use. Each binds the gatekeeper network first. */
export const WEBHOOK_SQL = { list: LIST, add: ADD, remove: REMOVE };
