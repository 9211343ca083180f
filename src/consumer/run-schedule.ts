import { FILLING_SHARE, isHourly, oldestKeptTime } from '../config/bindings.ts';
import { configOf } from '../config/parse-config.ts';
import { DAY_SECONDS, type Milliseconds } from '../lib/units.ts';
import { log, logFault } from '../log/log.ts';
import { sendReconcile } from '../message/queue.ts';
import { type Backend, openBackend, storeListeners } from '../operations/backend.ts';
import { openStore, type Store } from '../store/store.ts';

/**
 * Runs a schedule of `wrangler.toml`. The nightly one begins the reconciliation and deletes old events. The hourly one deletes
 * events of the databases that are filling up. Both restore the alarms of watchers.
 */
export async function runSchedule({ cron, scheduledTime }: ScheduledController, env: Env): Promise<void> {
  const onlyFilling = isHourly(cron);
  try {
    if (!onlyFilling) await beginReconciliation(scheduledTime, env.PASS_QUEUE);
  } finally {
    const store = openStore(env, storeListeners(env));
    await Promise.all([
      restoreWatchers(env, openBackend(env, store)),
      deleteOldEvents(env, store, { now: Date.now(), onlyFilling }),
    ]);
  }
}

/** Begins the nightly run, or continues an unfinished one, by sending the message for its first slice. */
export async function beginReconciliation(night: Milliseconds, queue: Queue): Promise<void> {
  await sendReconcile(queue, Math.floor(night / 1000));
}

/** Sets the lost alarms of watchers that have begun. Logs failures and never throws. */
async function restoreWatchers(env: Env, backend: Pick<Backend, 'watcherObject'>): Promise<void> {
  const networks = networksIn(env);
  await Promise.all(
    networks.map((network) =>
      backend
        .watcherObject(network)
        .restoreAlarm()
        .catch((fault) => logFault('watcher.unreachable', fault, { network })),
    ),
  );
}

/** Returns the networks with endpoints. Requests report an invalid configuration. */
function networksIn(env: Env): string[] {
  try {
    const { rpc } = configOf(env);
    return Object.keys(rpc).filter((network) => rpc[network]?.length);
  } catch {
    return [];
  }
}

/** Maximum number of slices in a run, over all shards. Each is one batch, and the platform allows 1,000 queries. */
const SLICES_PER_RUN = 500;
/** Maximum number of feeds that a slice deletes from. */
const SLICE_MAX_FEEDS = 100;
/** The hourly run deletes what nightly runs left: events that are this much older than `FEED_DAYS`. */
const GRACE_SECONDS = DAY_SECONDS;

/** The times and bounds of a run. */
export interface DeletionRun {
  readonly now: Milliseconds;
  /** Whether shards that are less than 70 % full keep their events a day longer. */
  readonly onlyFilling: boolean;
  readonly maxSlices?: number;
}

/** Deletes old events of every feed. The next hourly run continues after the last slice. Logs failures and never throws. */
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
        const grace = onlyFilling && fullShare < FILLING_SHARE ? GRACE_SECONDS : 0;
        const before = oldestKeptTime(configOf(env).feedDays, fullShare, now) - grace;
        await deleteInShard(shard, before, slices, store);
      } catch (fault) {
        logFault('feed.deletion_failed', fault, { shard });
      }
    }),
  );
}

/** Deletes from some feeds at a time, the ones with the oldest events first. A long feed does not keep the others waiting. */
async function deleteInShard(shard: string, before: number, slices: number, store: Store): Promise<void> {
  const feeds = await store.findFeedsToTrim(shard, before);
  let events = 0;
  try {
    for (let slice = 0; slice < slices && feeds.length > 0; slice += 1) {
      const deleted = await store.deleteEvents(shard, feeds.splice(0, SLICE_MAX_FEEDS), before);
      events += deleted.events;
      feeds.push(...deleted.unfinished);
    }
  } finally {
    if (events > 0) log('feed.events_deleted', { shard, events });
  }
}
