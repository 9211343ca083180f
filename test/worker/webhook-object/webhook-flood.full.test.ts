import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { QuotaObject } from '../../../src/quota-object/quota-object.ts';
import { DAILY_REPLAYED_EVENTS, EVENTS_PER_REPLAY } from '../../../src/webhook-object/webhook-object.ts';
import { eventually } from '../../eventually.ts';
import { withoutTimers } from '../without-timers.ts';
import { aFeed, aWebhook } from './a-webhook.ts';
import { DAY_PRICES } from './day-prices.ts';

/** A partner that makes its webhooks deliver as much as it can. */

const [securityPage = ''] = Object.values(
  import.meta.glob<string>('../../../docs/operators/security.md', { query: '?raw', import: 'default', eager: true }),
);
const { DB, QUOTAS } = env as Env;
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const PER_SECOND = 20;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type Feed = Awaited<ReturnType<typeof aFeed>>;
type AWebhook = Awaited<ReturnType<typeof aWebhook>>;

/** Adds events of distinct passes to the feed, without publications. */
async function fill({ gatekeeperNetwork }: Feed, events: number, first = 1): Promise<void> {
  const rows = Array.from({ length: events }, (_, n) => [
    first + n,
    JSON.stringify({ id: `pass${first + n}.1`, timestamp: '2026-11-20T00:00:00.000Z', data: { n: 1 } }),
  ]);
  await DB.prepare(
    `INSERT INTO events (gatekeeper_network, sequence, at, type, body)
     SELECT ?1, value ->> 0, unixepoch(), 'pass.issued', value ->> 1 FROM json_each(?2)`,
  )
    .bind(gatekeeperNetwork, JSON.stringify(rows))
    .run();
  await DB.prepare(
    'INSERT INTO feeds (gatekeeper_network, sequence) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET sequence = ?2',
  )
    .bind(gatekeeperNetwork, first + events - 1)
    .run();
}

/** Answers deliveries without a server, and returns the times of all deliveries. */
function answering(status: (delivery: number) => number): { readonly host: string; readonly at: number[] }[] {
  const deliveries: { host: string; at: number[] }[] = [];
  let count = 0;
  const { fetch } = globalThis;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (!url.pathname.startsWith('/flood')) return fetch(input as RequestInfo, init as RequestInit);
    const host = deliveries.find((each) => each.host === url.host) ?? { host: url.host, at: [] };
    if (host.at.push(performance.now()) === 1) deliveries.push(host);
    count += 1;
    return new Response(null, { status: status(count) });
  });
  return deliveries;
}

/** Counts the rows that the object of a webhook writes from now on: of its tables, its keys and its alarm. */
async function countingRows({ object }: AWebhook): Promise<{ rows: number }> {
  const counted = { rows: 0 };
  await runInDurableObject(object, (_, { storage }) => {
    const { sql, kv, setAlarm } = storage;
    const { exec } = sql;
    const { put } = kv;
    sql.exec = ((query: string, ...values: unknown[]) => {
      const cursor = exec.call(sql, query, ...values);
      queueMicrotask(() => {
        counted.rows += cursor.rowsWritten;
      });
      return cursor;
    }) as typeof sql.exec;
    kv.put = (key, value) => {
      counted.rows += 1;
      put.call(kv, key, value);
    };
    storage.setAlarm = (...args) => {
      counted.rows += 1;
      return setAlarm.apply(storage, args);
    };
  });
  return counted;
}

describe('deliveries', () => {
  it.each([
    ['one webhook', 1, 200],
    ['five webhooks', 5, 200],
    ['five webhooks whose URLs fail', 5, 500],
  ])('of %s reach a host at most twenty times a second', async (_, count, status) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const feed = await aFeed();
    await fill(feed, 70);
    const deliveries = answering(() => status);
    const webhooks = [];
    for (let n = 0; n < count; n += 1) webhooks.push(await aWebhook(feed, { url: `http://127.0.0.1:1/flood/${n}` }));
    const begun = performance.now();
    const runs = Promise.all(webhooks.map((webhook) => webhook.deliver())).then(() => true);
    // A run ends after its last event, or after some failures.
    let haveEnded: unknown = false;
    while (!haveEnded && (deliveries[0]?.at.length ?? 0) < 70)
      haveEnded = await Promise.race([runs, scheduler.wait(20)]);
    for (const { object } of webhooks) await object.remove();
    const [host] = deliveries;
    expect(deliveries).toHaveLength(1);
    // The runtime may delay deliveries. A unit test shows that no second has more turns.
    const { at = [] } = host ?? {};
    const seconds = ((at.at(-1) ?? 0) - begun) / SECOND;
    expect(at.length).toBeLessThanOrEqual((seconds + 0.5) * PER_SECOND);
    expect(at.length).toBeGreaterThanOrEqual(status === 200 ? 60 : 10);
  });

  it('use no turn of another host after a change of the URL', async () => {
    const feed = await aFeed();
    await fill(feed, 100);
    const deliveries = answering(() => 200);
    const webhooks = await Promise.all(
      Array.from({ length: 5 }, (_, n) => aWebhook(feed, { url: `http://127.0.0.1:${n + 2}/flood` })),
    );
    const runs = webhooks.map((webhook) => webhook.deliver());
    await eventually(() => expect(deliveries).toHaveLength(5));
    const begun = performance.now();
    await Promise.all(webhooks.map(({ object }) => object.change({ url: 'http://127.0.0.1:1/flood' }, 'partner')));
    const toOther = () => deliveries.find(({ host }) => host === '127.0.0.1:1')?.at ?? [];
    await eventually(() => expect(toOther().length).toBeGreaterThan(10));
    await Promise.all(webhooks.map(({ object }) => object.remove()));
    await Promise.all(runs);
    const at = toOther();
    const seconds = ((at.at(-1) ?? 0) - begun) / SECOND;
    expect(at.length).toBeLessThanOrEqual((seconds + 0.5) * PER_SECOND);
  });

  it('of another gatekeeper network to the same host do not wait', async () => {
    const [busy, other] = await Promise.all([aFeed(), aFeed()]);
    const deliveries = answering(() => 200);
    await fill(other, 1);
    const webhook = await aWebhook(other, { url: 'http://127.0.0.1:1/flood' });
    await QUOTAS.getByName(busy.gatekeeperNetwork).takeTurns('127.0.0.1:1', 3_600 * PER_SECOND);
    await withoutTimers(() => webhook.deliver());
    expect(deliveries[0]?.at).toHaveLength(1);
  });

  it('continue more slowly while the quota object does not answer', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
    const feed = await aFeed();
    await fill(feed, 4);
    const deliveries = answering(() => 200);
    const webhook = await aWebhook(feed, { url: 'http://127.0.0.1:1/flood' });
    const quota = QUOTAS.getByName(feed.gatekeeperNetwork);
    await runInDurableObject(quota, (object) => {
      object.takeTurns = () => Promise.reject(new Error('the quota object is away'));
    });
    const begun = performance.now();
    await webhook.deliver();
    const times = deliveries[0]?.at ?? [];
    expect(times).toHaveLength(4);
    // Each has a turn of its own. The runtime may delay a delivery, but it begins none early; a timer may round by a millisecond.
    for (const [n, at] of times.entries()) expect(at - begun).toBeGreaterThan(250 * (n + 1) - 2);
    expect(errors.mock.calls.flat().join()).toContain('quota.unreachable');
  });
});

it('a test that waits for its turn sends nothing after the operator has disabled the webhook', async () => {
  const feed = await aFeed();
  const deliveries = answering(() => 200);
  const webhook = await aWebhook(feed, { url: 'http://127.0.0.1:1/flood' });
  // The test learns its turn after the change, also on a busy machine.
  const turn = { isAsked: false, isHeld: true };
  vi.spyOn(QuotaObject.prototype, 'takeTurns').mockImplementation(async () => {
    turn.isAsked = true;
    while (turn.isHeld) await scheduler.wait(1);
    return [0];
  });
  const tested = await withoutTimers(async () => {
    const testing = webhook.object.sendTest();
    while (!turn.isAsked) await scheduler.wait(1);
    await webhook.object.change({ status: 'disabled' }, 'operator');
    turn.isHeld = false;
    return testing;
  });
  expect(tested).toMatchObject({ delivered: false, error: 'the operator has disabled the webhook' });
  expect(deliveries).toEqual([]);
});

it('a test whose turn would come late is refused at once, and takes no turn', async () => {
  const feed = await aFeed();
  const deliveries = answering(() => 200);
  const quota = QUOTAS.getByName(feed.gatekeeperNetwork);
  await quota.takeTurns('127.0.0.1:1', 60 * PER_SECOND);
  const webhooks = await Promise.all(
    Array.from({ length: 40 }, () => aWebhook(feed, { url: 'http://127.0.0.1:1/flood' })),
  );
  const refused = await withoutTimers(() => Promise.all(webhooks.map(({ object }) => object.sendTest())));
  expect(refused).toEqual(webhooks.map(() => ({ type: 'too_soon' })));
  expect((await quota.takeTurns('127.0.0.1:1', 1))[0]).toBeLessThan(MINUTE);
  expect(deliveries).toEqual([]);
});

describe('a URL that always fails', () => {
  it('ends a run after ten failures in a row, and the pauses grow to ten minutes', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    let now = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now });
    const feed = await aFeed();
    await fill(feed, 3_000);
    const deliveries = answering(() => 500);
    const webhook = await aWebhook(feed, { url: 'http://127.0.0.1:1/flood' });
    const perRun: number[] = [];
    const pauses: number[] = [];
    for (let run = 0; run < 9; run += 1) {
      const before = deliveries[0]?.at.length ?? 0;
      await webhook.deliver();
      perRun.push((deliveries[0]?.at.length ?? 0) - before);
      const until = (await stored(webhook)).pause?.until ?? 0;
      pauses.push((until - now) / SECOND);
      // A publication, an alarm or another wake does not end the pause.
      await webhook.object.wake();
      now = until - 1;
      vi.setSystemTime(now);
      await webhook.deliver();
      expect(deliveries[0]?.at.length).toBe(before + (perRun.at(-1) ?? 0));
      now = until;
      vi.setSystemTime(now);
    }
    expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600]);
    // Ten, and those that were on their way at the same time: of the retries, and of the new events.
    for (const deliveries of perRun) expect(deliveries).toBeLessThanOrEqual(2 * (10 + 5));
    expect((await webhook.alarm()) ?? 0).toBeLessThanOrEqual(now + MINUTE);
  });

  it('gets the events that wait after the first success, and no event is lost', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    let now = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now });
    const feed = await aFeed();
    await fill(feed, 60);
    const webhook = await aWebhook(feed);
    await webhook.answers({ status: 500 });
    for (let run = 0; run < 5; run += 1) {
      await webhook.deliver();
      now += 10 * MINUTE;
      vi.setSystemTime(now);
    }
    await webhook.answers({ status: 204 });
    for (let run = 0; run < 3; run += 1) {
      await webhook.deliver();
      now += MINUTE;
      vi.setSystemTime(now);
    }
    expect(await webhook.object.read()).toMatchObject({ cursor: 60, waiting: 0 });
    expect((await stored(webhook)).pause).toBeUndefined();
    const arrived = (await webhook.received()).filter(({ answer }) => (answer as { status: number }).status === 204);
    expect(new Set(arrived.map(({ headers }) => headers['webhook-id'])).size).toBe(60);
  });
});

const stored = ({ object }: AWebhook) =>
  runInDurableObject(object, (_, { storage }) => storage.kv.get('webhook') as { pause?: { until: number } });

describe('the daily budget of replays', () => {
  const delivered = (webhook: AWebhook, cursor: number) =>
    runInDurableObject(webhook.object, (_, { storage }) => {
      storage.kv.put('webhook', { ...(storage.kv.get('webhook') as object), cursor });
    });

  it('counts the events of all webhooks of the gatekeeper network, and outlives them', async () => {
    let now = Date.parse('2026-11-20T22:00:00Z');
    vi.useFakeTimers({ toFake: ['Date'], now });
    const feed = await aFeed();
    await DB.prepare('INSERT INTO feeds (gatekeeper_network, sequence) VALUES (?, 60000)')
      .bind(feed.gatekeeperNetwork)
      .run();
    await DB.prepare("INSERT INTO events VALUES (?, 1, 1, 'pass.issued', '{}')").bind(feed.gatekeeperNetwork).run();
    const first = await aWebhook(feed);
    await first.object.change({ status: 'disabled' }, 'partner');
    await delivered(first, 60_000);
    expect(await first.object.replay(0)).toMatchObject({ type: 'replaying' });
    await first.object.remove();
    const second = await aWebhook(feed);
    await second.object.change({ status: 'disabled' }, 'partner');
    await delivered(second, 60_000);
    const left = DAILY_REPLAYED_EVENTS - 60_000 - EVENTS_PER_REPLAY;
    const refused = { type: 'quota_reached', events: 60_000 + EVENTS_PER_REPLAY, left, retryAfter: 2 * 3_600 };
    expect(await second.object.replay(0)).toEqual(refused);
    expect(await second.object.read(), 'nothing changes').toMatchObject({ cursor: 60_000 });
    now += 11 * SECOND;
    vi.setSystemTime(now);
    expect(await second.object.replay(60_000 - left + EVENTS_PER_REPLAY)).toMatchObject({ type: 'replaying' });
    now += 2 * HOUR;
    vi.setSystemTime(now);
    await delivered(second, 60_000);
    expect(await second.object.replay(0), 'on the next day').toMatchObject({ type: 'replaying' });
  });

  it('does not count the sequences that a restore skips', async () => {
    const feed = await aFeed();
    await fill(feed, 3, 1);
    await fill(feed, 2, 10_000_000_004);
    const webhook = await aWebhook(feed);
    await webhook.object.change({ status: 'disabled' }, 'partner');
    await delivered(webhook, 10_000_000_005);
    await webhook.object.replay(1);
    const day = await runInDurableObject(QUOTAS.getByName(feed.gatekeeperNetwork), (_, { storage }) =>
      storage.kv.get('day'),
    );
    expect(day).toMatchObject({ replayed: 4 + EVENTS_PER_REPLAY });
  });

  it('refuses for a short time if the count does not answer', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await runInDurableObject(QUOTAS.getByName(feed.gatekeeperNetwork), (object) => {
      object.countReplay = () => Promise.reject(new Error('the quota object is away'));
    });
    expect(await webhook.object.replay(0)).toEqual({ type: 'unavailable' });
    expect(errors.mock.calls.flat().join()).toContain('quota.unreachable');
  });
});

it('the cost of the worst partner per day is that in docs/operators/security.md', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  let now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now });
  const feed = await aFeed();
  await fill(feed, 40);
  // One success among ten prevents the pauses, and makes all failures due again.
  const deliveries = answering((delivery) => (delivery % 10 === 0 ? 200 : 500));
  const webhook = await aWebhook(feed, { url: `${inject('webhookReceiver')}/flood` });
  const counted = await countingRows(webhook);
  const rowsOfRun = async () => {
    const [rows, made] = [counted.rows, deliveries[0]?.at.length ?? 0];
    await webhook.deliver();
    await scheduler.wait(0);
    return (counted.rows - rows) / ((deliveries[0]?.at.length ?? 0) - made);
  };
  const first = await rowsOfRun();
  now += DAY;
  vi.setSystemTime(now);
  const again = await rowsOfRun();
  const rowsPerDelivery = Math.ceil(Math.max(first, again));
  const { deliveriesPerDay, costOf } = DAY_PRICES;
  const cost = Math.ceil(costOf(rowsPerDelivery));
  expect(securityPage).toContain(`${(deliveriesPerDay / 1e6).toFixed(2)} million deliveries`);
  expect(securityPage).toContain(`${rowsPerDelivery} rows`);
  expect(securityPage).toContain(`at most $${cost} a day`);
  // The day of a partner has few events, so that nearly all deliveries of it are retries.
  expect(Number(/ a retry ([\d.]+)\b/.exec(securityPage)?.[1]), `measured ${again}`).toBeGreaterThanOrEqual(again);
  expect(cost).toBeLessThanOrEqual(36);
});
