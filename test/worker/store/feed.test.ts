import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { FEED_TYPES } from '../../../src/pass/vocabulary.ts';
import {
  deleteEvents,
  type FeedPage,
  type FeedQuery,
  feedEventJson,
  findFeedsToTrim,
  newestSequence,
  readFeed,
} from '../../../src/store/feed.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { recording } from './recorder.ts';
import { aFedProjection } from './rows.ts';

/** Pages of the feed and the deletion of events, and the rows that they cost. */

const { DB } = env as Env;

/** The rows per page do not depend on the length of the feed. The long form shows it for ten times as many events. */
const EVENTS = inject('form') === 'long' ? 24_000 : 2_400;
/** The time of event number n: one per second. */
const START = 1_790_000_000;
const theTypeOf = (sequence: number) => FEED_TYPES[sequence % FEED_TYPES.length];

beforeAll(async () => {
  const insert = `WITH RECURSIVE n (sequence) AS (SELECT 1 UNION ALL SELECT sequence + 1 FROM n WHERE sequence < ?2)
    INSERT INTO events (gatekeeper_network, sequence, at, type, body)
    SELECT ?1, sequence, ${START} + sequence, json_extract(?3, '$[' || (sequence % json_array_length(?3)) || ']'), '{}' FROM n`;
  const types = JSON.stringify(FEED_TYPES);
  for (const feed of ['ours', 'theirs']) {
    await DB.prepare(insert).bind(feed, EVENTS, types).run();
    await DB.prepare('INSERT INTO feeds (gatekeeper_network, sequence) VALUES (?, ?)').bind(feed, EVENTS).run();
  }
});

/** Returns the result of a query about our feed, with the rows that the database read. */
async function read(query: Partial<FeedQuery>) {
  const { db, ran } = recording(DB);
  const found = await readFeed(db, { gatekeeperNetwork: 'ours', limit: 100, ...query });
  const rowsRead = ran.reduce((rows, { meta }) => rows + Number(meta.rows_read), 0);
  return { found, rowsRead, sequences: found.type === 'page' ? found.events.map(({ sequence }) => sequence) : [] };
}
const counting = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('a page of the feed', () => {
  it.each([1, 100, 1000])('reads at most %i events and five other rows at any depth', async (limit) => {
    const reads = [];
    for (const after of [undefined, 0, EVENTS / 2, EVENTS - limit]) {
      const { found, sequences, rowsRead } = await read({ after, limit });
      const first = (after ?? 0) + 1;
      expect(sequences).toEqual(counting(first, first + limit - 1));
      expect(found).toMatchObject({ next: first + limit - 1, more: after !== EVENTS - limit });
      expect(rowsRead).toBeLessThanOrEqual(limit + 5);
      reads.push(rowsRead);
    }
    expect(new Set(reads).size, `rows read at the depths: ${reads}`).toBe(1);
  });

  it.each([EVENTS, EVENTS + 1, 999_999_999_999_999])('is empty after %i, at or beyond the end', async (after) => {
    const { found, rowsRead } = await read({ after });
    expect(found).toEqual({ type: 'page', events: [], next: after, more: false });
    expect(rowsRead).toBeLessThanOrEqual(5);
  });

  it('is empty for a gatekeeper network without events, and its end is 0', async () => {
    const { found } = await read({ gatekeeperNetwork: 'nobody' });
    expect(found).toEqual({ type: 'page', events: [], next: 0, more: false });
    expect(await newestSequence(DB, 'nobody')).toBe(0);
    expect(await newestSequence(DB, 'ours')).toBe(EVENTS);
  });

  it('has only events of the wanted types and notices, reads at most 1,000 events, and names the last one that it read', async () => {
    const { found, sequences, rowsRead } = await read({ types: ['pass.issued', 'pass.expired'], after: 0 });
    const types = ['pass.issued', 'pass.expired', 'feed.restored'];
    const wanted = counting(1, 1000).filter((n) => types.includes(theTypeOf(n) as string));
    expect(sequences).toEqual(wanted.slice(0, 100));
    expect(found).toMatchObject({ next: wanted[99], more: true });
    expect(rowsRead).toBeLessThanOrEqual(3_005);

    const rest = await read({ types: ['pass.issued'], after: EVENTS - 500, limit: 1000 });
    expect(rest.found).toMatchObject({ next: EVENTS, more: false });
    const none = await read({ types: [], after: 0 });
    expect(none.sequences).toEqual(counting(1, 1000).filter((n) => theTypeOf(n) === 'feed.restored'));
    expect(none.found).toMatchObject({ next: 1000, more: true });
  });

  it.each([[undefined], [['pass.issued', 'pass.reorged'] as const], [['feed.restored'] as const]])(
    'leads a reader of the types %j through the whole feed, each event once and in order',
    async (types) => {
      const seen: number[] = [];
      let page: FeedPage = { type: 'page', events: [], next: 0, more: true };
      for (let limit = 1; page.more; limit = ((limit * 7) % 997) + 1) {
        const { found, sequences } = await read({ after: page.next, limit, types });
        seen.push(...sequences);
        page = found as FeedPage;
      }
      const isWanted = (n: number) =>
        types === undefined || ([...types, 'feed.restored'] as unknown[]).includes(theTypeOf(n));
      expect(seen).toEqual(counting(1, EVENTS).filter(isWanted));
    },
  );
});

it('the JSON of an event has its members in the order id, sequence, type, timestamp, data', async () => {
  const [published] = [aFedProjection(1, ['pass.issued'], { gatekeeperNetwork: 'json' })];
  await publishPasses(DB, [published]);
  const { found } = await read({ gatekeeperNetwork: 'json' });
  const [event] = (found as FeedPage).events;
  const { id, timestamp, data } = JSON.parse(published.events?.[0]?.body ?? '');
  expect(feedEventJson(event as never)).toBe(JSON.stringify({ id, sequence: 1, type: 'pass.issued', timestamp, data }));
  const restored = { sequence: 7, type: 'feed.restored', body: '{"id":"restored.7","timestamp":"2026"}' } as const;
  expect(feedEventJson(restored)).toBe('{"id":"restored.7","sequence":7,"type":"feed.restored","timestamp":"2026"}');
});

describe('the deletion of events', () => {
  const remove = async (before: number, limit?: number) => {
    const { db, ran } = recording(DB);
    const { events: deleted } = await deleteEvents(db, ['theirs'], before, limit);
    return { deleted, rowsRead: Number(ran[0]?.meta.rows_read), rowsWritten: Number(ran[0]?.meta.rows_written) };
  };

  it('finds the feeds with old events page by page, the one with the oldest event first', async () => {
    await publishPasses(DB, [aFedProjection(2, ['pass.issued'], { gatekeeperNetwork: 'a new feed' })]);
    await DB.prepare("INSERT INTO events VALUES ('an old feed', 1, 5, 'pass.issued', '{}')").run();
    await DB.prepare(
      "INSERT INTO feeds VALUES ('an old feed', 1, '[]'), ('an empty feed', 9, '[]'), ('', 9, '[]')",
    ).run();
    for (const pageMax of [1, 2, 3, 100]) {
      const { db, ran } = recording(DB);
      const found = await findFeedsToTrim(db, START + 10, pageMax);
      expect(found).toEqual(['an old feed', 'ours', 'theirs']);
      for (const { meta } of ran) expect(meta.rows_read).toBeLessThanOrEqual(2 * pageMax + 1);
    }
    expect(await findFeedsToTrim(DB, START)).toEqual(['an old feed']);
  });

  it('deletes the oldest events of one feed, at most the limit, and reads at most three rows per event', async () => {
    expect(await remove(START + 1)).toMatchObject({ deleted: 0, rowsWritten: 0 });
    const first = await remove(START + 1_501, 1_000);
    expect(first).toMatchObject({ deleted: 1_000, rowsWritten: 1_000 });
    expect(first.rowsRead).toBeLessThanOrEqual(3_001);
    expect(await remove(START + 1_501, 1_000)).toMatchObject({ deleted: 500 });
    expect(await remove(START + 1_501, 1_000)).toMatchObject({ deleted: 0 });
    expect((await read({ gatekeeperNetwork: 'theirs' })).sequences[0]).toBe(1_501);
    expect((await read({ after: 0 })).sequences[0]).toBe(1);
  });

  it('refuses a cursor before deleted events, and serves the one before the oldest kept event', async () => {
    const readAfter = async (cursor: number) =>
      (await read({ gatekeeperNetwork: 'theirs', after: cursor, limit: 1 })).found;
    for (const cursor of [0, 1_000, 1_499])
      expect(await readAfter(cursor)).toEqual({ type: 'cursor_expired', oldest: 1_501 });
    expect(await readAfter(1_500)).toMatchObject({ events: [{ sequence: 1_501 }] });
  });

  it('deletes no event after one that stays, even if a clock went back', async () => {
    const [early, late] = [START + 1_600, START + 1_700];
    await DB.prepare("UPDATE events SET at = ? WHERE gatekeeper_network = 'theirs' AND sequence = 1600")
      .bind(late)
      .run();
    expect(await remove(early + 50)).toMatchObject({ deleted: 99 });
    expect((await read({ gatekeeperNetwork: 'theirs', limit: 2 })).sequences).toEqual([1_600, 1_601]);
    expect(await remove(late + 1)).toMatchObject({ deleted: 101 });
  });

  it('keeps the counter when all events are gone: the next event continues the sequence', async () => {
    while ((await remove(START * 2)).deleted > 0);
    const at = async (after?: number) => (await read({ gatekeeperNetwork: 'theirs', after })).found;
    expect(await at(EVENTS - 1)).toEqual({ type: 'cursor_expired', oldest: EVENTS + 1 });
    expect(await at(EVENTS)).toEqual({ type: 'page', events: [], next: EVENTS, more: false });
    expect(await at()).toEqual({ type: 'page', events: [], next: EVENTS, more: false });

    await publishPasses(DB, [aFedProjection(3, ['pass.issued', 'pass.frozen'], { gatekeeperNetwork: 'theirs' })]);
    const events = [{ sequence: EVENTS + 1 }, { sequence: EVENTS + 2 }];
    expect(await at(EVENTS)).toMatchObject({ events, next: EVENTS + 2, more: false });
    expect(await at()).toMatchObject({ events });
  });
});
