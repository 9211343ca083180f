import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RETRY_DELAYS_MS } from '../../../src/webhook-object/delivery-run.ts';
import { aFeed, aWebhook, orderPerPass, shortenResponseTimeout, verify } from './a-webhook.ts';
import { simulateClock } from './simulated-clock.ts';

/** Deliveries and their retries: the real object, feed and receiver. Time is simulated, so that no alarm fires by itself. */

const { DB } = env as Env;
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const OK = { status: 204 };
const DOWN = { status: 503 };

const { advance } = simulateClock();
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

describe('a delivery', () => {
  it('is signed as in Standard Webhooks, and its body is the event of the feed', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await feed.publish(1);
    await webhook.deliver();
    const [request] = await webhook.received();
    if (request === undefined) throw new Error('nothing was received');
    expect(verify(request, webhook.secret)).toMatchObject({ sequence: 1, type: 'pass.issued', data: { n: 1 } });
    expect(request.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Gatepass-Webhooks/1' });
    expect(JSON.parse(request.body).id).toBe(request.headers['webhook-id']);
    const { headers, body } = request;
    const tampered = [
      { headers, body: body.replace('issued', 'frozen') },
      { headers: { ...headers, 'webhook-id': 'another' }, body },
      { headers: { ...headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 1) }, body },
    ];
    for (const each of tampered) expect(() => verify(each, webhook.secret)).toThrow('No matching signature');
    expect(() => verify(request, `whsec_${btoa('x'.repeat(32))}`)).toThrow('No matching signature');
  });

  it('has a signature of both secrets for a day after a rotation', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    const rotated = await webhook.object.rotateSecret();
    const deliver = async (pass: number) => {
      await feed.publish(pass);
      await webhook.deliver();
      const request = (await webhook.received()).at(-1);
      if (request === undefined) throw new Error('nothing was received');
      return request;
    };
    const first = await deliver(1);
    verify(first, webhook.secret);
    verify(first, rotated?.secret ?? '');
    advance(DAY + 1);
    const second = await deliver(2);
    verify(second, rotated?.secret ?? '');
    expect(() => verify(second, webhook.secret)).toThrow('No matching signature');
  });

  it.each([{ status: 200 }, { status: 299 }])('succeeds with $status', async (answer) => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(answer);
    await feed.publish(1);
    await webhook.deliver();
    expect(await webhook.outcomes()).toEqual(['delivered']);
  });

  it.each([
    { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    { status: 404 },
    { status: 500 },
    'break' as const,
  ])('fails with %j, and is not repeated at once', async (answer) => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(answer);
    await feed.publish(1);
    await webhook.deliver();
    await webhook.deliver();
    expect(await webhook.outcomes()).toEqual(['failed']);
  });

  it('fails if there is no response within 15 seconds', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers('hang');
    shortenResponseTimeout();
    await feed.publish(1);
    await webhook.deliver();
    expect(await webhook.object.deliveriesAfter(0, 1)).toMatchObject([
      { outcome: 'failed', error: 'no response within 15 s' },
    ]);
  });

  it('carries only events of the wanted types', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed, { types: ['pass.frozen'] });
    await feed.publish(1, 2, 1, 2);
    await webhook.deliver();
    expect(orderPerPass(await webhook.receivedIds())).toEqual([[2], [2]]);
    expect(await webhook.object.read()).toMatchObject({ cursor: 4 });
  });
});

describe('the order of deliveries', () => {
  it('is kept per pass while other passes continue', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(OK, DOWN);
    await feed.publish(1);
    await webhook.deliver();
    await feed.publish(2, 1, 2, 3, 1);
    await webhook.deliver();
    expect(orderPerPass(await webhook.receivedIds())).toEqual([[1], [1, 2], [1]]);
    expect(await webhook.object.read()).toMatchObject({ cursor: 6, waiting: 3 });
    await feed.publish(1);
    await webhook.deliver();
    advance(MINUTE);
    await webhook.deliver();
    expect(orderPerPass(await webhook.receivedIds())).toEqual([[1, 2, 3, 4], [1, 2], [1]]);
    expect(await webhook.object.read()).toMatchObject({ cursor: 7, waiting: 0 });
  });

  it('is kept when a receiver is back after three days, and other webhooks notice nothing', async () => {
    const feed = await aFeed();
    const [down, up] = [await aWebhook(feed), await aWebhook(feed)];
    await down.answers(DOWN);
    for (let hours = 0; hours < 72; hours += 6) {
      await feed.publish(1, 2, 3);
      await Promise.all([down.deliver(), up.deliver()]);
      expect((await up.receivedIds()).length).toBe(3 * (hours / 6 + 1));
      advance(6 * HOUR);
    }
    const delivered = (await down.receivedIds()).length;
    await down.answers(OK);
    await feed.publish(4);
    for (let alarms = 0; alarms < 3; alarms += 1) await down.deliver();
    const arrived = (await down.receivedIds()).slice(delivered);
    const upTo = Array.from({ length: 12 }, (_, n) => n + 1);
    expect(new Set(orderPerPass(arrived).map(String))).toEqual(new Set([upTo, upTo, upTo, [1]].map(String)));
    expect(await down.object.read()).toMatchObject({ status: 'enabled', waiting: 0, cursor: 37 });
    expect((await up.outcomes())?.every((outcome) => outcome === 'delivered')).toBe(true);
  });
});

describe('a failed delivery', () => {
  it('is retried nine times on schedule, then given up, and the next event of the pass follows', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(DOWN);
    await feed.publish(1, 1);
    await webhook.deliver();
    for (const delay of RETRY_DELAYS_MS) {
      advance(delay - SECOND);
      await webhook.deliver();
      const before = (await webhook.receivedIds()).length;
      advance(delay * 0.1 + 2 * SECOND);
      // Five days without a success would disable the webhook first.
      await runInDurableObject(webhook.object, (_, { storage }) => {
        const stored = storage.kv.get<object>('webhook');
        storage.kv.put('webhook', { ...stored, failingSince: undefined });
      });
      if (delay === RETRY_DELAYS_MS.at(-1)) await webhook.answers(OK, DOWN);
      await webhook.deliver();
      expect((await webhook.receivedIds()).length, `after ${delay} ms`).toBeGreaterThan(before);
    }
    const outcomes = (await webhook.outcomes()) ?? [];
    expect(outcomes.slice(-2)).toEqual(['given_up', 'delivered']);
    expect(outcomes.filter((outcome) => outcome === 'failed')).toHaveLength(9);
    expect(await webhook.object.read()).toMatchObject({ waiting: 0 });
  });

  it('waits as long as Retry-After demands', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(OK, { status: 429, headers: { 'retry-after': '3600' } });
    await feed.publish(1);
    await webhook.deliver();
    advance(HOUR - SECOND);
    await webhook.deliver();
    expect(await webhook.outcomes()).toEqual(['failed']);
    advance(2 * SECOND);
    await webhook.deliver();
    expect(await webhook.outcomes()).toEqual(['failed', 'delivered']);
  });

  it('becomes due with a success of another event, and uses up no retry', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(DOWN);
    await feed.publish(1);
    await webhook.deliver();
    advance(6 * SECOND);
    await webhook.deliver();
    expect(await webhook.outcomes(), 'the next retry is due in five minutes').toEqual(['failed', 'failed']);
    advance(6 * SECOND);
    await feed.publish(2);
    await webhook.answers(DOWN, OK);
    await webhook.deliver();
    const deliveries = (await webhook.object.deliveriesAfter(2, 10)) ?? [];
    expect(deliveries.map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
      ['delivered', 1],
      ['failed', 3],
    ]);
    await webhook.answers(OK);
    advance(6 * MINUTE);
    await webhook.deliver();
    expect(await webhook.object.deliveriesAfter(4, 10)).toMatchObject([{ outcome: 'delivered', attempt: 3 }]);
  });

  it('stops the cursor when ten thousand events wait, and loses none', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(DOWN);
    await feed.publish(1);
    await webhook.deliver();
    await runInDurableObject(webhook.object, (_, { storage }) => {
      storage.sql.exec(`
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
        INSERT INTO waiting SELECT 1000000 + i, 'other', 'pass.issued', 'other.' || i, '{}', 1, ${Date.now() + 9 * DAY}, ${Date.now()}, ${Date.now() + 9 * DAY} FROM n`);
    });
    await feed.publish(2);
    await webhook.deliver();
    expect(await webhook.object.read()).toMatchObject({ cursor: 1, waiting: 10_000 });
    await webhook.answers(OK);
    advance(MINUTE);
    await webhook.deliver();
    expect(await webhook.object.read()).toMatchObject({ cursor: 2 });
  });
});

describe('a webhook with ten thousand waiting events', () => {
  it('gives up the oldest of those that failed often, and delivers the others', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await feed.publish(1);
    await webhook.deliver();
    await runInDurableObject(webhook.object, (_, { storage }) => {
      storage.sql.exec(`
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        INSERT INTO waiting SELECT -i, 'other' || i, 'pass.expiring', 'other' || i || '.1', '{}', iif(i > 9000, 5, 1),
          ${Date.now() + DAY}, ${Date.now()}, ${Date.now() + DAY} FROM n`);
    });
    await feed.publish(2, 3);
    await webhook.deliver();
    expect(await webhook.receivedIds()).toHaveLength(3);
    expect(await webhook.object.read()).toMatchObject({ cursor: 3, waiting: 9_998 });
    const givenUp = (await webhook.object.deliveriesAfter(0, 100))?.filter(({ outcome }) => outcome === 'given_up');
    expect(givenUp).toMatchObject([
      { event: 'other10000.1', sequence: -10_000, attempt: 5, error: expect.stringContaining('10000 events') },
      { event: 'other9999.1', sequence: -9_999 },
    ]);
  });

  it('gives up none while the feed has no further event', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await runInDurableObject(webhook.object, (_, { storage }) => {
      storage.sql.exec(`
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        INSERT INTO waiting SELECT -i, 'other' || i, 'pass.expiring', 'other' || i || '.1', '{}', 5,
          ${Date.now() + DAY}, ${Date.now()}, ${Date.now() + DAY} FROM n`);
    });
    await webhook.deliver();
    expect(await webhook.object.read()).toMatchObject({ waiting: 10_000 });
  });

  it('delivers every event of a type that the URL accepts while it always refuses another type', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    // The URL refuses each second event of a pass. The list fills with them, as after days.
    await webhook.answers(OK);
    await runInDurableObject(webhook.object, (_, { storage }) => {
      storage.sql.exec(`
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        INSERT INTO waiting SELECT -i, 'other' || i, 'pass.frozen', 'other' || i || '.2', '{}', 3,
          ${Date.now() + 9 * DAY}, ${Date.now()}, ${Date.now() + 9 * DAY} FROM n`);
    });
    const accepted: string[] = [];
    for (let pass = 1; pass <= 40; pass += 1) {
      await feed.publish(pass, pass);
      const { results } = await DB.prepare(
        'SELECT type, body FROM events WHERE gatekeeper_network = ? ORDER BY sequence DESC LIMIT 2',
      )
        .bind(feed.gatekeeperNetwork)
        .all<{ type: string; body: string }>();
      const ids = results.map(({ type, body }) => ({ type, id: JSON.parse(body).id as string }));
      accepted.push(...ids.flatMap(({ type, id }) => (type === 'pass.issued' ? [id] : [])));
    }
    await webhook.refuses(...accepted.map((id) => id.replace(/1$/, '2')));
    for (let alarms = 0; alarms < 40; alarms += 1) {
      await webhook.deliver();
      advance(10 * MINUTE);
    }
    const arrived = new Set(await webhook.receivedIds());
    expect(accepted.filter((id) => !arrived.has(id))).toEqual([]);
    expect((await webhook.object.read())?.cursor).toBe(80);
  });
});
