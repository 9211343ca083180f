import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type DeletionRun, deleteOldEvents } from '../../../src/consumer/run-schedule.ts';
import { openStore } from '../../../src/store/store.ts';
import worker from '../../../src/worker.ts';
import { linesOf } from '../lines-of.ts';
import { SECOND, second } from '../setup/second-database.ts';
import { failing, UnreliableDatabase } from '../store/unreliable.ts';

/** The nightly and the hourly deletion of old events, over two databases. */

const bindings = env as Env;
const { DB } = bindings;
const DAY_SECONDS = 86_400;
const NOW = Date.now();
const daysAgo = (days: number) => Math.floor(NOW / 1000 - days * DAY_SECONDS);

const [logged, errors] = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')];
beforeEach(async () => {
  for (const db of [DB, second]) for (const table of ['events', 'feeds']) await db.exec(`DELETE FROM ${table}`);
  for (const spy of [logged, errors]) spy.mockReset().mockReturnValue();
});

/** Fills a feed with events that it got on these days, oldest first. */
async function aFeed(gatekeeperNetwork: string, ages: readonly number[], db = DB) {
  const rows = ages.map((days, index) => [gatekeeperNetwork, index + 1, daysAgo(days)]);
  const insert =
    "INSERT INTO events SELECT value ->> 0, value ->> 1, value ->> 2, 'pass.issued', '{}' FROM json_each(?)";
  await db.batch([
    db.prepare(insert).bind(JSON.stringify(rows)),
    db.prepare('INSERT INTO feeds (gatekeeper_network, sequence) VALUES (?, ?)').bind(gatekeeperNetwork, ages.length),
  ]);
}
const left = async (gatekeeperNetwork: string, db = DB) => {
  const { results } = await db
    .prepare('SELECT sequence FROM events WHERE gatekeeper_network = ? ORDER BY 1')
    .bind(gatekeeperNetwork)
    .all<{ sequence: number }>();
  return results.map(({ sequence }) => sequence);
};
const countLeft = async (gatekeeperNetwork: string) => (await left(gatekeeperNetwork)).length;
/** The objects of other files may add feeds meanwhile. */
const OWN_FEEDS = 'SELECT sequence FROM feeds WHERE length(gatekeeper_network) = 1 ORDER BY gatekeeper_network';
const countersOf = async (db: D1Database) =>
  (await db.prepare(OWN_FEEDS).all<{ sequence: number }>()).results.map(({ sequence }) => sequence);

async function run(changes: Readonly<Record<string, unknown>> = {}, options: Partial<DeletionRun> = {}) {
  const changed = { ...bindings, ...changes } as Env;
  await deleteOldEvents(changed, openStore(changed), { now: NOW, onlyFilling: false, ...options });
}
/** Returns variables with which that database is that full. */
const fullAt = async (db: D1Database, share: number) => {
  const { meta } = await db.prepare('SELECT 1').all();
  return { DATABASE_MAX_BYTES: String(Math.floor(meta.size_after / share)) };
};

describe('the deletion of old events', () => {
  it('deletes in every database the events that are older than FEED_DAYS, and no counter', async () => {
    await aFeed('a', [40, 31, 29, 0]);
    await aFeed('b', [100, 90]);
    await aFeed('c', [31, 1], second);
    await run();
    expect([await left('a'), await left('b'), await left('c', second)]).toEqual([[3, 4], [], [2]]);
    expect([await countersOf(DB), await countersOf(second)]).toEqual([[4, 2], [2]]);
    expect(linesOf(logged, 'feed.events_deleted')).toEqual(
      expect.arrayContaining([
        { event: 'feed.events_deleted', shard: 'DB', events: 4 },
        { event: 'feed.events_deleted', shard: SECOND, events: 1 },
      ]),
    );
    await run({ FEED_DAYS: '10' });
    expect(await left('a')).toEqual([4]);
  });

  it('logs nothing if it deletes nothing', async () => {
    await aFeed('a', [1]);
    await run();
    expect([linesOf(logged, 'feed.events_deleted'), linesOf(errors, 'feed.deletion_failed')]).toEqual([[], []]);
  });

  it.each([
    [0.69, [3, 4, 5]],
    [0.825, [4, 5]],
    [0.96, [5]],
  ])('keeps fewer days of events in a database that is %d full', async (share, kept) => {
    await aFeed('a', [40, 31, 29, 10, 0.5]);
    await run(await fullAt(DB, share));
    expect(await left('a')).toEqual(kept);
  });

  it('deletes every hour in databases that are at least 70 % full, and in others what a nightly run left', async () => {
    await aFeed('a', [40, 31.1, 30.9, 20, 0]);
    await run(await fullAt(DB, 0.69), { onlyFilling: true });
    expect(await left('a')).toEqual([3, 4, 5]);
    await run(await fullAt(DB, 0.9), { onlyFilling: true });
    expect(await left('a')).toEqual([5]);
  });

  it('deletes a bounded number of slices in a run, of all feeds in turn, and the next run continues', async () => {
    await aFeed('long', Array(2_500).fill(50));
    await aFeed('other', Array(1_200).fill(45));
    await aFeed('short', Array(3).fill(40));
    const counts = async () => [await countLeft('long'), await countLeft('other'), await countLeft('short')];
    // Each of the two databases may delete half of the slices.
    await run({}, { maxSlices: 2 });
    expect(await counts()).toEqual([2_167, 867, 0]);
    await run({}, { maxSlices: 4 });
    expect(await counts()).toEqual([1_167, 0, 0]);
    expect(await left('long')).toEqual(Array.from({ length: 1_167 }, (_, index) => 1_334 + index));
    await run({}, { maxSlices: 4 });
    expect(await counts()).toEqual([0, 0, 0]);
  });

  it('serves the feeds with the oldest events first, so that no feed waits forever', async () => {
    const feeds = Array.from({ length: 250 }, (_, index) => `feed ${index}`);
    await Promise.all(feeds.map((feed, index) => aFeed(feed, [40 + index])));
    const feedsLeft = async () =>
      (await DB.prepare('SELECT gatekeeper_network AS feed FROM events').all<{ feed: string }>()).results
        .map(({ feed }) => feed)
        .toSorted();
    for (const some of [150, 50, 0]) {
      await run({}, { maxSlices: 2 });
      expect(await feedsLeft()).toEqual(feeds.slice(0, some).toSorted());
    }
  });

  it('keeps 30 days of events of 10,000 feeds, and deletes all older ones in one night', async () => {
    const feeds = JSON.stringify(Array.from({ length: 10_000 }, (_, index) => `feed ${index}`));
    const times = JSON.stringify([35, 34, 31, 30.5, 29.5, 1].map((days, index) => [index + 1, daysAgo(days)]));
    await DB.batch([
      DB.prepare('INSERT INTO feeds (gatekeeper_network, sequence) SELECT value, 6 FROM json_each(?)').bind(feeds),
      DB.prepare(
        `INSERT INTO events SELECT feed.value, event.value ->> 0, event.value ->> 1, 'pass.issued', '{}'
         FROM json_each(?) feed, json_each(?) event`,
      ).bind(feeds, times),
    ]);
    const counts = async () =>
      (
        await DB.prepare('SELECT sequence, count(*) AS feeds FROM events GROUP BY 1').all<Record<string, number>>()
      ).results.map(({ sequence, feeds }) => [sequence, feeds]);
    await run();
    expect(await counts()).toEqual([
      [5, 10_000],
      [6, 10_000],
    ]);
    await run({}, { now: NOW + DAY_SECONDS * 1_000 });
    expect(await counts()).toEqual([[6, 10_000]]);
    expect(linesOf(errors, 'feed.deletion_failed')).toEqual([]);
  });

  it('continues with the other databases if one does not answer, and logs it', async () => {
    await aFeed('a', [40]);
    await aFeed('b', [40], second);
    const away = new UnreliableDatabase();
    away.manner = failing('D1_ERROR: away');
    for (const onlyFilling of [false, true]) {
      errors.mockClear();
      await run({ DB: away, ...(await fullAt(second, 0.75)) }, { onlyFilling });
      expect(linesOf(errors, 'feed.deletion_failed')).toMatchObject([{ shard: 'DB', error: 'Error: D1_ERROR: away' }]);
    }
    expect([await left('a'), await left('b', second)]).toEqual([[1], []]);
  });

  it('logs the events that it deleted before a failure', async () => {
    await aFeed('a', Array(1_500).fill(40));
    const database = new UnreliableDatabase();
    // The size, the list of feeds and one slice.
    database.manner = (work) => (database.asked > 3 ? Promise.reject(new Error('D1_ERROR: away')) : work());
    await run({ DB: database });
    expect(linesOf(logged, 'feed.events_deleted')).toMatchObject([{ shard: 'DB', events: 1_000 }]);
    expect(linesOf(errors, 'feed.deletion_failed')).toMatchObject([{ shard: 'DB' }]);
    expect(await countLeft('a')).toBe(500);
  });

  it('deletes nothing with an invalid configuration, and logs it', async () => {
    await aFeed('a', [40]);
    await run({ FEED_DAYS: 'many' });
    expect(linesOf(errors, 'feed.deletion_failed')).toHaveLength(2);
    expect(await left('a')).toEqual([1]);
  });
});

describe('the schedules', () => {
  const schedule = async (cron: string, changes: Readonly<Record<string, unknown>> = {}) => {
    const sent = vi.fn(async () => {});
    const changed = { ...bindings, PASS_QUEUE: { send: sent, sendBatch: sent }, ...changes } as unknown as Env;
    const outcome = await Promise.resolve(
      worker.scheduled({ cron, scheduledTime: NOW } as ScheduledController, changed),
    )
      .then(() => 'done')
      .catch(String);
    return { outcome, begun: sent.mock.calls.length };
  };

  it('the nightly schedule begins the reconciliation and deletes old events, the hourly one deletes in filling databases', async () => {
    await aFeed('a', [30.5, 0]);
    expect(await schedule('47 * * * *')).toEqual({ outcome: 'done', begun: 0 });
    expect(await left('a')).toEqual([1, 2]);
    expect(await schedule('17 3 * * *')).toEqual({ outcome: 'done', begun: 1 });
    expect(await left('a')).toEqual([2]);
    await aFeed('b', [40, 0]);
    await schedule('47 * * * *', await fullAt(DB, 0.8));
    expect(await left('b')).toEqual([2]);
  });

  it('begins the reconciliation although no database answers, and deletes although the queue refuses', async () => {
    await aFeed('a', [40, 0]);
    const away = new UnreliableDatabase();
    away.manner = failing('D1_ERROR: away');
    expect(await schedule('17 3 * * *', { DB: away, [SECOND]: away })).toEqual({ outcome: 'done', begun: 1 });
    const refuses = () => Promise.reject(new Error('Queue send failed'));
    const { outcome } = await schedule('17 3 * * *', { PASS_QUEUE: { send: refuses, sendBatch: refuses } });
    expect(outcome).toContain('Queue send failed');
    expect(await left('a')).toEqual([2]);
  });
});
