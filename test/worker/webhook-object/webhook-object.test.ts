import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RETRY_DELAYS_MS } from '../../../src/webhook-object/delivery-run.ts';
import { eventually } from '../../eventually.ts';
import { aFeed, aWebhook } from './a-webhook.ts';
import { simulateClock } from './simulated-clock.ts';

/** The life of a webhook: the real object, feed and receiver. Time is simulated, so that no alarm fires by itself. */

const { DB } = env as Env;
const [SECOND, MINUTE, DAY] = [1_000, 60_000, 86_400_000];
const OK = { status: 204 };
const DOWN = { status: 503 };

const { advance } = simulateClock();
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

describe('the time since which deliveries fail', () => {
  it('ends when the last waiting event is given up', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(DOWN);
    await feed.publish(1);
    await webhook.deliver();
    for (const delay of RETRY_DELAYS_MS) {
      advance(delay * 1.1 + SECOND);
      await webhook.deliver();
    }
    expect((await webhook.outcomes())?.at(-1)).toBe('given_up');
    expect(await webhook.object.read()).toMatchObject({ status: 'enabled', waiting: 0, failingSince: undefined });
    advance(30 * DAY);
    await feed.publish(2);
    await webhook.deliver();
    expect(await webhook.object.read()).toMatchObject({ status: 'enabled', waiting: 1 });
  });

  it('does not count the time of a suspension', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(DOWN);
    await feed.publish(1);
    await webhook.deliver();
    await feed.setStatus('suspended');
    advance(MINUTE);
    await webhook.deliver();
    advance(30 * DAY);
    await feed.setStatus('active');
    await webhook.deliver();
    expect(await webhook.outcomes()).toEqual(['failed', 'failed']);
    expect(await webhook.object.read()).toMatchObject({ status: 'enabled', waiting: 1 });
  });

  it('ends with a replay that drops the waiting events', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(DOWN);
    await feed.publish(1);
    await webhook.deliver();
    // The replay begins at once, so a later look may find the event waiting again.
    const { webhook: replayed } = (await webhook.object.replay(0)) as { webhook?: unknown };
    expect(replayed).toMatchObject({ cursor: 0, waiting: 0, failingSince: undefined });
  });
});

describe('a webhook', () => {
  it('is disabled at once by 410, and continues at its cursor once it is enabled', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
    await webhook.answers(OK, OK, { status: 410 });
    await feed.publish(1, 2, 3);
    await webhook.deliver();
    expect(await webhook.object.read()).toMatchObject({ status: 'disabled', disabledReason: 'gone' });
    expect(errors.mock.calls.flat().join()).toContain('"event":"webhook.disabled","error":"gone"');
    const before = (await webhook.receivedIds()).length;
    await feed.publish(4);
    await webhook.deliver();
    expect(await webhook.receivedIds()).toHaveLength(before);
    await webhook.answers(OK);
    expect(await webhook.object.change({ status: 'enabled' }, 'partner')).toMatchObject({ status: 'enabled' });
    advance(MINUTE);
    await webhook.deliver();
    expect(new Set(await webhook.receivedIds()).size).toBe(4);
  });

  it('is disabled after five days without any success', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(DOWN);
    for (let day = 0; day < 6; day += 1) {
      expect(await webhook.object.read(), `day ${day}`).toMatchObject({ status: day < 6 ? 'enabled' : 'disabled' });
      await feed.publish(day + 1);
      await webhook.deliver();
      advance(DAY);
    }
    expect(await webhook.object.read()).toMatchObject({ status: 'disabled', disabledReason: 'no_success' });
    expect(await webhook.alarm()).not.toBeNull();
    await webhook.deliver();
    expect(await webhook.alarm(), 'a disabled webhook needs no alarm').toBeNull();
  });

  it('stays enabled without any event for weeks', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    advance(20 * DAY);
    await webhook.deliver();
    expect(await webhook.object.read()).toMatchObject({ status: 'enabled' });
  });

  it('delivers nothing while all partners of its gatekeeper network are suspended', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await feed.setStatus('suspended');
    await feed.publish(1);
    await webhook.deliver();
    expect(await webhook.receivedIds()).toEqual([]);
    await feed.setStatus('active');
    advance(MINUTE);
    await webhook.deliver();
    expect(await webhook.receivedIds()).toHaveLength(1);
  });

  it('replays the same ids after a sequence, in order', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await feed.publish(1, 2, 1, 2);
    await webhook.deliver();
    const ids = await webhook.receivedIds();
    expect(await webhook.object.replay(1)).toMatchObject({ type: 'replaying', webhook: { cursor: 1 } });
    await webhook.deliver();
    const again = (await webhook.receivedIds()).slice(ids.length);
    expect(new Set(again)).toEqual(new Set(ids.filter((id) => !id.endsWith('1.1') || again.includes(id))));
    expect(again).toHaveLength(3);
    expect(await webhook.object.replay(1)).toEqual({ type: 'too_soon' });
    advance(MINUTE);
    expect(await webhook.object.replay(5)).toEqual({ type: 'beyond_newest', newest: 4 });
    await DB.prepare('DELETE FROM events WHERE gatekeeper_network = ? AND sequence < 3')
      .bind(feed.gatekeeperNetwork)
      .run();
    expect(await webhook.object.replay(1)).toEqual({ type: 'cursor_expired', oldest: 3 });
  });

  it('continues with the oldest event if the feed has deleted the next one, and reports the position', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.object.change({ status: 'disabled' }, 'partner');
    await feed.publish(1, 2, 3);
    await DB.prepare('DELETE FROM events WHERE gatekeeper_network = ? AND sequence < 3')
      .bind(feed.gatekeeperNetwork)
      .run();
    expect(await webhook.object.change({ status: 'enabled' }, 'partner')).toMatchObject({ cursor: 2 });
    await webhook.deliver();
    expect((await webhook.receivedIds()).toSorted().slice(1)).toEqual(['deleted.2']);
  });

  it('keeps the newest thousand deliveries', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await feed.publish(1);
    await webhook.deliver();
    await runInDurableObject(webhook.object, (_, { storage }) => {
      storage.sql.exec(`
        WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO delivery SELECT i % 1000, i, '{"number":' || i || '}' FROM n`);
    });
    await evictDurableObject(webhook.object);
    await feed.publish(2);
    await webhook.deliver();
    const kept = (await webhook.object.deliveriesAfter(0, 2_000)) ?? [];
    expect([kept.length, kept[0]?.number, kept.at(-1)?.number]).toEqual([1_000, 2, 1_001]);
  });

  it('lists itself again after a restore of the database', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await DB.prepare('DELETE FROM feeds WHERE gatekeeper_network = ?').bind(feed.gatekeeperNetwork).run();
    await webhook.deliver();
    const row = await DB.prepare('SELECT webhooks FROM feeds WHERE gatekeeper_network = ?')
      .bind(feed.gatekeeperNetwork)
      .first();
    expect(row).toEqual({ webhooks: JSON.stringify([webhook.id]) });
  });

  it('delivers at once when a publication wakes it, and by its alarm if the wake is lost', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await feed.publish(1);
    await webhook.object.wake();
    await eventually(async () => expect(await webhook.receivedIds()).toHaveLength(1));
    expect(((await webhook.alarm()) ?? 0) - Date.now()).toBeLessThanOrEqual(MINUTE);
  });

  it('leaves no trace after its deletion, and a late wake changes nothing', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    expect(await webhook.object.remove()).toBe(true);
    await webhook.object.wake();
    expect(await webhook.object.read()).toBeUndefined();
    expect(await webhook.object.remove()).toBe(false);
    expect(await webhook.alarm()).toBeNull();
  });

  it('does not connect to a URL that became forbidden', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed, { url: 'https://10.0.0.1/' });
    await feed.publish(1);
    await webhook.deliver();
    expect(await webhook.object.deliveriesAfter(0, 1)).toMatchObject([
      { outcome: 'failed', durationMs: 0, error: 'the URL must have a host name, not an address' },
    ]);
  });
});
