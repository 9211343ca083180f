import type { Cursor } from '../lib/cursor.ts';
import type { UnixSeconds } from '../lib/units.ts';
import type { PassKey } from '../pass/pass.ts';
import { KEY_COLUMNS, type Publication, valuesOf } from './passes.ts';
import { isHere, refusalFrom, type Writer } from './placements.ts';
import { askAllShards, type Databases } from './shards.ts';

/** A pass that was not settled when its alarm fired. */
export interface Unsettled {
  readonly key: PassKey;
  readonly id: string;
  /** When it was last settled, or requested: Unix seconds. */
  readonly since: number;
}

const LIST = `
  INSERT INTO unsettled (gatekeeper_network, wallet, chain, network, id, since) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
  ON CONFLICT (gatekeeper_network, wallet, chain, network) DO UPDATE SET since = ?6 WHERE since <> ?6`;

/** Adds the pass to the operator's list. Adding it again with the same time writes nothing. */
export async function listUnsettled(db: Writer, { key, id, since }: Unsettled): Promise<void> {
  await db.batch([db.prepare(LIST).bind(...valuesOf(key), id, since)]);
}

const UNLIST = 'DELETE FROM unsettled WHERE gatekeeper_network = ?1 AND wallet = ?2 AND chain = ?3 AND network = ?4';

/** Removes a settled pass from the operator's list. */
export async function unlistUnsettled(db: Writer, { key }: Pick<Unsettled, 'key'>): Promise<void> {
  await db.batch([db.prepare(UNLIST).bind(...valuesOf(key))]);
}

const UNSETTLED = `
  SELECT ${KEY_COLUMNS}, id, since FROM unsettled INDEXED BY unsettled_by_since
  WHERE (since, id) > (?1, ?2) AND since <= ?3 AND ${isHere('unsettled')} ORDER BY since, id LIMIT ?4`;

interface UnsettledQuery {
  /** Only passes that have been unsettled since this time or longer. */
  readonly before: UnixSeconds;
  readonly limit: number;
  readonly after?: Cursor | undefined;
}

/** Returns the unsettled passes of a shard, the oldest first. */
async function findUnsettledIn(
  db: D1Database,
  { before, limit, after = { at: 0, id: '' } }: UnsettledQuery,
): Promise<Unsettled[]> {
  const { results } = await db
    .prepare(UNSETTLED)
    .bind(after.at, after.id, before, limit)
    .all<PassKey & { id: string; since: UnixSeconds }>();
  return results.map(({ id, since, ...key }) => ({ key, id, since }));
}

/** A page of the merged lists of all shards. */
interface UnsettledPage {
  readonly passes: readonly Unsettled[];
  /** Names of the shards that did not answer, whose passes are missing. */
  readonly unread: readonly string[];
}

/** Reads the lists of all shards, merged. Throws only if no shard answers. */
export async function findUnsettled(databases: Databases, query: UnsettledQuery): Promise<UnsettledPage> {
  const { answers, unread, fault } = await askAllShards(databases, (db) => findUnsettledIn(db, query));
  if (answers.length === 0) throw fault;
  const found = answers.flatMap(({ answer }) => answer);
  return { passes: found.toSorted(byAge).slice(0, query.limit), unread };
}

/** The order of the list: the oldest first. */
function byAge(a: Unsettled, b: Unsettled): number {
  return a.since - b.since || (a.id < b.id ? -1 : 1);
}

/** A pass as its pass object stores it. */
export interface RestoredPass {
  /** The contract of the pass, or on Solana the program. */
  readonly contract: string;
  readonly publication: Publication;
  /** Time since which the operator's list shows the pass as unsettled; undefined: the list does not show it. */
  readonly listedSince?: UnixSeconds | undefined;
  /** When the object answered that the pass is settled; undefined: it is not. An older entry of the list is out of date. */
  readonly settledAt?: UnixSeconds | undefined;
}

const KEY_OF_VALUE = "value ->> 'gatekeeperNetwork', value ->> 'wallet', value ->> 'chain', value ->> 'network'";
// A pass that became unsettled after its object answered keeps the entry that its alarm wrote since then.
const UNLIST_SETTLED = `
  DELETE FROM unsettled WHERE (gatekeeper_network, wallet, chain, network) IN
    (SELECT ${KEY_OF_VALUE} FROM json_each(?1)) AND since < ?2`;
const LIST_ALL = `
  INSERT INTO unsettled (gatekeeper_network, wallet, chain, network, id, since)
  SELECT ${KEY_OF_VALUE}, value ->> 'id', value ->> 'listedSince' FROM json_each(?) WHERE true
  ON CONFLICT (gatekeeper_network, wallet, chain, network) DO UPDATE SET id = excluded.id, since = excluded.since
    WHERE excluded.since <> since OR excluded.id <> id`;

/** Restores the entries of these passes in the operator's list of unsettled passes. The shard refuses all of them if one waits for a move. */
export async function restoreList(db: D1Database, passes: readonly RestoredPass[]): Promise<void> {
  const settled = passes.filter(({ settledAt }) => settledAt !== undefined);
  const listed = passes.filter(({ listedSince }) => listedSince !== undefined);
  const statements = [
    settled.length > 0 &&
      db.prepare(UNLIST_SETTLED).bind(textOf(settled), Math.min(...settled.map(({ settledAt = 0 }) => settledAt))),
    listed.length > 0 && db.prepare(LIST_ALL).bind(textOf(listed)),
  ].filter((statement) => statement !== false);
  if (statements.length === 0) return;
  const keys = new Set(passes.map(({ publication }) => publication.key.gatekeeperNetwork));
  await db.batch([...[...keys].map((key) => db.prepare(refusalFrom(1)).bind(key)), ...statements]);
}

function textOf(passes: readonly RestoredPass[]): string {
  return JSON.stringify(passes.map(({ publication: { key, id }, listedSince }) => ({ ...key, id, listedSince })));
}

export interface ShardMetrics {
  readonly shard: string;
  readonly bytes: number;
  /** The passes that have been unsettled for longest, at most 1,000. */
  readonly unsettled: readonly { readonly network: string; readonly since: UnixSeconds }[];
}

/** The shards that answered, and the names of the others. */
interface ReadShards {
  readonly shards: readonly ShardMetrics[];
  readonly unread: readonly string[];
}

/** The list stops here, so that a scrape reads few rows: these, and the freezes and revocations on networks that have ended. */
const LONGEST_MAX = 1_000;
const LONGEST = `
  SELECT network, since FROM unsettled INDEXED BY unsettled_by_since
  WHERE since <= ?1 AND network NOT IN (SELECT value FROM json_each(?2)) AND ${isHere('unsettled')}
  ORDER BY since, id LIMIT ${LONGEST_MAX}`;

/**
 * Returns the metrics of the shards that answer, and the names of the others.
 * @param ended The networks whose passes can never settle, so that they are left out.
 */
export async function readShardMetrics(
  databases: Databases,
  now: UnixSeconds,
  ended: readonly string[],
): Promise<ReadShards> {
  const { answers, unread } = await askAllShards(databases, (db) =>
    db.prepare(LONGEST).bind(now, JSON.stringify(ended)).all<ShardMetrics['unsettled'][number]>(),
  );
  const shards = answers.map(({ shard, answer: { results, meta } }) => ({
    shard,
    bytes: meta.size_after,
    unsettled: results,
  }));
  return { shards, unread };
}
