import { FILLING_SHARE } from '../config/database-limit.ts';
import { oldestKeptTime } from '../config/event-retention.ts';
import { configOf } from '../config/parse-config.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { log, logFault } from '../log/log.ts';
import { SLICE_MAX_EVENTS } from '../store/delete-events.ts';
import type { Store } from '../store/store.ts';

/** Maximum number of deleting statements in a run, over all shards. The platform allows 1,000 queries. */
const SLICES_PER_RUN = 500;

/** The times and bounds of a run. */
export interface DeletionRun {
  readonly now: Milliseconds;
  /** Whether to omit the shards that are less than 70 % full. */
  readonly onlyFilling: boolean;
  readonly maxSlices?: number;
}

/** Deletes old events of every feed. The next run continues after the last slice. Logs failures and never throws. */
export async function deleteOldEvents(
  env: Env,
  store: Store,
  { now, onlyFilling, maxSlices = SLICES_PER_RUN }: DeletionRun,
): Promise<void> {
  const shards = store.shardNames();
  const slices = Math.ceil(maxSlices / shards.length);
  await Promise.all(
    shards.map(async (shard) => {
      try {
        const fullShare = await store.fullShareOf(shard);
        if (onlyFilling && fullShare < FILLING_SHARE) return;
        const before = oldestKeptTime(configOf(env).feedDays, fullShare, now);
        await deleteInShard(shard, before, slices, store);
      } catch (fault) {
        logFault('feed.deletion_failed', fault, { shard });
      }
    }),
  );
}

/** Deletes one slice of each feed in turn, so that a long feed does not keep the others waiting. */
async function deleteInShard(shard: string, before: number, slices: number, store: Store): Promise<void> {
  const feeds = await store.findFeedsToTrim(shard, before);
  let events = 0;
  try {
    for (let slice = 0; slice < slices; slice += 1) {
      const feed = feeds.shift();
      if (feed === undefined) break;
      const deleted = await store.deleteEvents(shard, feed, before);
      events += deleted;
      if (deleted === SLICE_MAX_EVENTS) feeds.push(feed);
    }
  } finally {
    if (events > 0) log('feed.events_deleted', { shard, events });
  }
}
