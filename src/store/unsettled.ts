import type { Cursor } from '../lib/cursor.ts';
import type { PassKey } from '../pass/pass.ts';
import { type PassRow, passKeyOf } from './pass-row.ts';
import { type Databases, shardNamesOf, shardOf } from './shards.ts';

/** A pass that was not settled when its alarm fired. */
export interface Unsettled {
  readonly key: PassKey;
  readonly id: string;
  /** The shard with the row of the pass and this entry; undefined: the first one. */
  readonly shard?: string | undefined;
  /** When it was last settled, or requested: Unix seconds. */
  readonly since: number;
}

const LIST = `
  INSERT INTO unsettled (gatekeeper_network, wallet, chain, network, id, since) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
  ON CONFLICT (gatekeeper_network, wallet, chain, network) DO UPDATE SET since = ?6 WHERE since <> ?6`;

/** Adds the pass to the operator's list. Adding it again with the same time writes nothing. */
export async function listUnsettled(db: D1Database, { key, id, since }: Unsettled): Promise<void> {
  await db.prepare(LIST).bind(key.gatekeeperNetwork, key.wallet, key.chain, key.network, id, since).run();
}

const UNLIST = 'DELETE FROM unsettled WHERE gatekeeper_network = ?1 AND wallet = ?2 AND chain = ?3 AND network = ?4';

/** Removes a settled pass from the operator's list. */
export async function unlistUnsettled(db: D1Database, key: PassKey): Promise<void> {
  await db.prepare(UNLIST).bind(key.gatekeeperNetwork, key.wallet, key.chain, key.network).run();
}

const UNSETTLED = `
  SELECT gatekeeper_network, wallet, chain, network, id, since FROM unsettled INDEXED BY unsettled_by_since
  WHERE (since, id) > (?1, ?2) AND since <= ?3 ORDER BY since, id LIMIT ?4`;

/** Returns the passes that have been unsettled since `before` (Unix seconds) or longer, the oldest first. */
export async function findUnsettled(
  db: D1Database,
  { before, limit, after = { at: 0, id: '' } }: { before: number; limit: number; after?: Cursor | undefined },
): Promise<Unsettled[]> {
  const { results } = await db
    .prepare(UNSETTLED)
    .bind(after.at, after.id, before, limit)
    .all<PassRow & { id: string; since: number }>();
  return results.map((row) => ({ key: passKeyOf(row), id: row.id, since: row.since }));
}

/** A page of the merged lists of all shards. */
export interface UnsettledPage {
  readonly passes: readonly Unsettled[];
  /** Names of the shards that did not answer, whose passes are missing. */
  readonly unread: readonly string[];
}

/** Reads the lists of all shards, merged. Throws only if no shard answers. */
export async function findInAllShards(
  databases: Databases,
  query: Parameters<typeof findUnsettled>[1],
): Promise<UnsettledPage> {
  const names = shardNamesOf(databases);
  const reads = await Promise.allSettled(names.map((name) => findUnsettled(shardOf(databases, name).db, query)));
  const faults = reads.filter((read) => read.status === 'rejected');
  if (faults.length === names.length) throw faults[0]?.reason;
  const found = reads.flatMap((read, index) =>
    read.status === 'rejected' ? [] : read.value.map((each) => ({ ...each, shard: names[index] })),
  );
  return {
    passes: found.toSorted(byAge).slice(0, query.limit),
    unread: names.filter((_, index) => reads[index]?.status === 'rejected'),
  };
}

/** The order of the list: the oldest first. */
function byAge(a: Unsettled, b: Unsettled): number {
  return a.since - b.since || (a.id < b.id ? -1 : 1);
}
