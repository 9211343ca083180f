import type { UnixSeconds } from '../lib/brand.ts';
import { type Databases, shardNamesOf, shardOf } from './shards.ts';

export interface ShardMetrics {
  readonly shard: string;
  readonly bytes: number;
  /** Number of passes that have been unsettled since the given time, at most 1,000. */
  readonly stuck: number;
}

/** The shards that answered, and the names of the others. */
export interface ReadShards {
  readonly shards: readonly ShardMetrics[];
  readonly unread: readonly string[];
}

/** The count stops here, so that a scrape reads a bounded number of rows. */
const STUCK_MAX = 1_000;
const STUCK = `
  SELECT count(*) AS n FROM
    (SELECT 1 FROM unsettled INDEXED BY unsettled_by_since WHERE since <= ?1 LIMIT ${STUCK_MAX})`;

/** Returns the metrics of the shards that answer, and the names of the others. */
export async function readShardMetrics(databases: Databases, stuckSince: UnixSeconds): Promise<ReadShards> {
  const names = shardNamesOf(databases);
  const reads = await Promise.allSettled(
    names.map(async (shard) => {
      const { results, meta } = await shardOf(databases, shard).db.prepare(STUCK).bind(stuckSince).all<{ n: number }>();
      return { shard, bytes: meta.size_after, stuck: results[0]?.n ?? 0 };
    }),
  );
  return {
    shards: reads.flatMap((read) => (read.status === 'fulfilled' ? read.value : [])),
    unread: names.filter((_, index) => reads[index]?.status === 'rejected'),
  };
}
