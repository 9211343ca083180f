import type { UnixSeconds } from '../lib/brand.ts';
import { type Databases, shardNamesOf, shardOf } from './shards.ts';

/** Counts stop here, so that a scrape reads a bounded number of rows. */
const COUNT_MAX = 1_000;

export interface ShardMetrics {
  readonly shard: string;
  readonly bytes: number;
  /** Number of passes that have been unsettled since the given time, at most 1,000. */
  readonly stuck: number;
}

const STUCK = `
  SELECT count(*) AS n FROM
    (SELECT 1 FROM unsettled INDEXED BY unsettled_by_since WHERE since <= ?1 LIMIT ${COUNT_MAX})`;

/** Returns the metrics of every shard; undefined for a shard that does not answer. */
export function readShardMetrics(databases: Databases, stuckSince: UnixSeconds): Promise<(ShardMetrics | undefined)[]> {
  const read = async (shard: string) => {
    const { results, meta } = await shardOf(databases, shard).db.prepare(STUCK).bind(stuckSince).all<{ n: number }>();
    return { shard, bytes: meta.size_after, stuck: results[0]?.n ?? 0 };
  };
  return Promise.all(shardNamesOf(databases).map((shard) => read(shard).catch(() => undefined)));
}

const LETTERS = `
  SELECT count(*) AS n FROM
    (SELECT 1 FROM dead_letters INDEXED BY dead_letters_by_time WHERE at > 0 LIMIT ${COUNT_MAX})`;

/** Returns the number of dead letters, at most 1,000. */
export async function countDeadLetters(db: D1Database): Promise<number> {
  return (await db.prepare(LETTERS).first<{ n: number }>())?.n ?? 0;
}
