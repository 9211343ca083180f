import { FIRST_SHARD } from '../config/bindings.ts';
import type { PassKey } from '../pass/pass.ts';
import { bookmarkOf, PRIMARY, READ_PRIMARY } from './bookmarked-reads.ts';
import {
  type Publication,
  type PublishedRow,
  probe,
  type RowPage,
  type RowPlace,
  rowIdOf,
  rowsAfter,
  rowsOf,
  rowsOnNetwork,
  visitGatekeeperNetworks,
} from './passes.ts';
import { inShardsOf } from './placements.ts';
import { type AskedWallet, rowsOfWallet } from './rows-of-wallet.ts';
import { askAllShards, type Databases, type Shard, shardNamesOf, shardOf } from './shards.ts';

/** Reads and writes that concern several shards. */

export type OnPublished = (published: readonly Publication[]) => Promise<void>;

/** Publishes to a shard, or in a session of it. */
export type PublishTo = (
  shard: { readonly name: string; readonly db: Pick<D1Database, 'prepare' | 'batch'> },
  publications: readonly Publication[],
) => Promise<void>;

/** Publishes passes, and returns the bookmark at which a reader sees them. Throws NetworkMoves if that keeps some of them waiting. */
export async function publishWithBookmark(
  databases: Databases,
  publications: readonly Publication[],
  publishTo: PublishTo,
  onPublished?: OnPublished,
): Promise<string> {
  const bookmarks: string[] = [];
  const publish = async (shard: Shard, group: readonly Publication[]) => {
    const session = shard.db.withSession(PRIMARY);
    await publishTo({ name: shard.name, db: session }, group);
    bookmarks.push(bookmarkOf(shard, session));
  };
  await inShardsOf(databases, publications, networkOf, async (shard, group) => {
    await publish(shard, group);
    await onPublished?.(group);
  });
  const [bookmark = READ_PRIMARY, ...others] = bookmarks;
  // No bookmark names versions of two databases.
  return others.length === 0 ? bookmark : READ_PRIMARY;
}

const networkOf = ({ key }: Pick<Publication, 'key'>): string => key.gatekeeperNetwork;

/** Returns the names of the shards that do not answer now, or lack their tables. It never throws. */
export async function findUnread(databases: Databases): Promise<readonly string[]> {
  return (await askAllShards(databases, probe)).unread;
}

/** Reads rows of the read model in the order of their primary key, shard after shard. */
export async function readRows(
  databases: Databases,
  { shard = FIRST_SHARD, after }: RowPlace,
  limit: number,
): Promise<RowPage> {
  const rows = await rowsAfter(shardOf(databases, shard).db, after, limit);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  if (last) return { rows, next: { shard, after: rowIdOf(last) } };
  const nextShard = shardAfter(databases, shard);
  return { rows, next: nextShard === undefined ? undefined : { shard: nextShard } };
}

/** A position among the rows of one network. */
export interface NetworkPlace {
  /** Undefined: the first shard. */
  readonly shard?: string | undefined;
  /** The last gatekeeper network that was visited; undefined: the beginning of the shard. */
  readonly gatekeeperNetwork?: string | undefined;
  /** Id of its last row before the position; undefined: the gatekeeper network has no more rows. */
  readonly id?: string | undefined;
}

/** A page of the rows of one network. It may be empty although others follow. */
export interface NetworkPage {
  readonly rows: readonly PublishedRow[];
  /** Undefined after the last row of the last shard. */
  readonly next: NetworkPlace | undefined;
}

/** Maximum number of gatekeeper networks that a page visits. It reads two rows of each, even of those without a pass there. */
const PAGE_MAX_VISITS = 1_000;

/** Reads the rows of one network, shard after shard. */
export async function readRowsOnNetwork(
  databases: Databases,
  network: string,
  { shard = FIRST_SHARD, gatekeeperNetwork = '', id }: NetworkPlace,
  limit: number,
  maxVisits = PAGE_MAX_VISITS,
): Promise<NetworkPage> {
  const { db } = shardOf(databases, shard);
  const rows: PublishedRow[] = [];
  /** Returns the place after the page if these rows fill it. */
  const add = async (gatekeeperNetwork: string, id: string): Promise<NetworkPlace | undefined> => {
    rows.push(...(await rowsOnNetwork(db, { gatekeeperNetwork, id }, network, limit - rows.length)));
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return last && { shard, ...rowIdOf(last) };
  };
  const within = id === undefined ? undefined : await add(gatekeeperNetwork, id);
  if (within !== undefined) return { rows, next: within };
  const visited = await visitGatekeeperNetworks(db, gatekeeperNetwork, network, maxVisits);
  for (const { gatekeeperNetwork } of visited.filter(({ hasPass }) => hasPass)) {
    const next = await add(gatekeeperNetwork, '');
    if (next !== undefined) return { rows, next };
  }
  const lastVisited = visited.length === maxVisits ? visited.at(-1) : undefined;
  if (lastVisited !== undefined) return { rows, next: { shard, gatekeeperNetwork: lastVisited.gatekeeperNetwork } };
  const nextShard = shardAfter(databases, shard);
  return { rows, next: nextShard === undefined ? undefined : { shard: nextShard } };
}

function shardAfter(databases: Databases, shard: string): string | undefined {
  const names = shardNamesOf(databases);
  return names[names.indexOf(shard) + 1];
}

/** Returns the row of each publication's pass, in order; undefined for a pass without a row. */
export async function findRows(
  databases: Databases,
  publications: readonly Publication[],
): Promise<(PublishedRow | undefined)[]> {
  const found = new Map<Publication, PublishedRow | undefined>();
  await inShardsOf(databases, publications, networkOf, async ({ db }, group) => {
    const keys = group.map(({ key }) => key);
    const rows = await rowsOf(db, keys);
    for (const [index, publication] of group.entries()) found.set(publication, rows[index]);
  });
  return publications.map((publication) => found.get(publication));
}

/** The rows of a wallet on a network, and the shards that did not answer. */
export interface WalletRows {
  readonly rows: readonly PublishedRow[];
  readonly unread: readonly string[];
}

/** Returns the rows of a wallet in all shards: in one gatekeeper network, or in every one. */
export async function findRowsOfWallet(databases: Databases, wallet: AskedWallet): Promise<WalletRows> {
  const { answers, unread } = await askAllShards(databases, (db) => rowsOfWallet(db, wallet));
  const rows = answers.flatMap(({ answer }) => answer);
  // During a move, two shards have a row of the pass. The newer one counts.
  const newest = rows.toSorted((a, b) => a.version - b.version).map((row) => [row.key.gatekeeperNetwork, row] as const);
  return { rows: [...new Map(newest).values()], unread };
}

/** Returns the passes that have no row in any shard. */
export async function findWithoutRow(databases: Databases, keys: readonly PassKey[]): Promise<PassKey[]> {
  const reads = shardNamesOf(databases).map((name) => rowsOf(shardOf(databases, name).db, keys));
  const inShards = await Promise.all(reads);
  return keys.filter((_, index) => inShards.every((rows) => rows[index] === undefined));
}
