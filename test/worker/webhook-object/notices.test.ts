import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readFeed } from '../../../src/store/feed.ts';
import { eventually } from '../../eventually.ts';
import { aFeed, aWebhook } from './a-webhook.ts';

/** Notices say that events are lost. Every reader gets them, whatever types it wants. */

const { DB } = env as Env;
const types = ['pass.issued' as const];

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

const deleteEventsBefore = ({ gatekeeperNetwork }: { gatekeeperNetwork: string }, sequence: number) =>
  DB.prepare('DELETE FROM events WHERE gatekeeper_network = ? AND sequence < ?')
    .bind(gatekeeperNetwork, sequence)
    .run();

describe('a restore', () => {
  it('reaches webhooks and readers that want only some types', async () => {
    const feed = await aFeed();
    const { gatekeeperNetwork } = feed;
    const webhooks = [await aWebhook(feed), await aWebhook(feed, { types })];
    await feed.publish(1, 2, 3);
    for (const webhook of webhooks) await webhook.deliver();
    await DB.prepare('DELETE FROM events WHERE gatekeeper_network = ? AND sequence = 3').bind(gatekeeperNetwork).run();
    // As the restore does, but in this feed only.
    await DB.prepare("INSERT INTO events VALUES (?, 10000000003, 1, 'feed.restored', ?)")
      .bind(gatekeeperNetwork, JSON.stringify({ id: 'restored.10000000003', timestamp: '2026-11-20T00:00:00.000Z' }))
      .run();
    await DB.prepare('UPDATE feeds SET sequence = 10000000003 WHERE gatekeeper_network = ?')
      .bind(gatekeeperNetwork)
      .run();
    for (const webhook of webhooks) {
      await webhook.deliver();
      expect((await webhook.receivedIds()).slice(3)).toEqual(['restored.10000000003']);
    }
    const page = await readFeed(DB, { gatekeeperNetwork, after: 3, limit: 100, types });
    expect(page).toMatchObject({ type: 'page', events: [{ type: 'feed.restored' }] });
  });
});

describe('a webhook whose next events are deleted', () => {
  it.each([
    ['all types', undefined],
    ['some types', types],
  ])('delivers feed.events_deleted, and then the oldest event, if it wants %s', async (_, wanted) => {
    const feed = await aFeed();
    await feed.publish(1, 2, 3, 4);
    await deleteEventsBefore(feed, 4);
    const webhook = await aWebhook(feed, wanted && { types: wanted });
    await webhook.deliver();
    const events = (await webhook.received()).map(({ body }) => JSON.parse(body));
    expect(events).toMatchObject([
      { id: 'deleted.3', sequence: 3, type: 'feed.events_deleted', timestamp: expect.stringMatching(/Z$/) },
      { sequence: 4, type: 'pass.issued' },
    ]);
    expect(await webhook.object.read()).toMatchObject({ cursor: 4, waiting: 0 });
  });

  it('retries the notice until the URL accepts it', async () => {
    const feed = await aFeed();
    await feed.publish(1, 2);
    await deleteEventsBefore(feed, 2);
    const webhook = await aWebhook(feed, { types: ['pass.frozen'] });
    await webhook.answers({ status: 204 }, { status: 503 });
    await webhook.deliver();
    expect(await webhook.object.read()).toMatchObject({ cursor: 2, waiting: 1 });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    await webhook.deliver();
    vi.useRealTimers();
    expect(await webhook.receivedIds()).toEqual(['deleted.1', 'deleted.1']);
    expect(await webhook.object.read()).toMatchObject({ waiting: 0 });
  });

  it('delivers the notice also if it was disabled meanwhile', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed, { types });
    await webhook.object.change({ status: 'disabled' }, 'partner');
    await feed.publish(1, 2, 3);
    await deleteEventsBefore(feed, 3);
    expect(await webhook.object.change({ status: 'enabled' }, 'partner')).toMatchObject({ cursor: 2 });
    await eventually(async () => {
      await webhook.deliver();
      expect((await webhook.receivedIds()).toSorted()).toEqual(['deleted.2', expect.stringMatching(/\.1$/)].toSorted());
    });
  });
});
