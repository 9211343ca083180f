import { type Databases, shardOf } from './shards.ts';
import { findUsage, type Usage } from './usage.ts';

/** A question for the usage of one gatekeeper network. */
export interface UsageQuery {
  readonly gatekeeperNetwork: string;
  /** For example `2026-11` (UTC). */
  readonly month: string;
}

/** A gatekeeper network, its OAuth clients, and its usage on each network. */
export interface NetworkUsage {
  readonly gatekeeperNetwork: string;
  readonly clients: readonly { readonly id: string; readonly name: string }[];
  readonly usage: readonly Usage[];
}

export interface NetworkPage {
  /** Only gatekeeper networks after this one; undefined: from the first one. */
  readonly after?: string | undefined;
  readonly limit: number;
}

const PAGE = `
  SELECT key, shard,
    (SELECT json_group_array(json_object('id', client_id, 'name', name))
      FROM partners INDEXED BY partners_by_gatekeeper_network WHERE gatekeeper_network = key) AS clients
  FROM gatekeeper_networks NOT INDEXED WHERE key > ?1 ORDER BY key LIMIT ?2`;

interface Row {
  readonly key: string;
  readonly shard: string;
  /** JSON. */
  readonly clients: string;
}

/** Returns the usage of a page of gatekeeper networks in their order. Throws if a shard does not answer. */
export async function usageOfAll(
  databases: Databases,
  month: string,
  { after = '', limit }: NetworkPage,
): Promise<NetworkUsage[]> {
  const { results } = await shardOf(databases).db.prepare(PAGE).bind(after, limit).all<Row>();
  const byShard = Map.groupBy(results, ({ shard }) => shard);
  const reads = [...byShard].map(([shard, rows]) =>
    findUsage(
      shardOf(databases, shard).db,
      rows.map(({ key }) => key),
      month,
    ),
  );
  const usage = Map.groupBy((await Promise.all(reads)).flat(), ({ gatekeeperNetwork }) => gatekeeperNetwork);
  return results.map(({ key, clients }) => ({
    gatekeeperNetwork: key,
    clients: JSON.parse(clients),
    usage: usage.get(key) ?? [],
  }));
}
