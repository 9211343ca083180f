import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../src/store/store.ts';
import { WebhookObject } from '../../../src/webhook-object/webhook-object.ts';
import { eventually } from '../../eventually.ts';
import { HOSTILE_TARGETS } from '../../hostile-targets.ts';
import { idOf } from '../store/rows.ts';
import { failing, hanging, UnreliableDatabase } from '../store/unreliable.ts';
import { aFeed, aWebhook, shortenResponseTimeout } from './a-webhook.ts';
import { simulateClock } from './simulated-clock.ts';

/** Faults of the database and of the receiver, and calls that race with each other. Time is simulated. */

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const OK = { status: 204 };
const DOWN = { status: 503 };

const { advance } = simulateClock();
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

/** Runs the alarm of the webhook with that database. */
const deliverWith = (webhook: Awaited<ReturnType<typeof aWebhook>>, DB: D1Database) =>
  runInDurableObject(webhook.object, (_, context) => new WebhookObject(context, { ...(env as Env), DB }).alarm());

/** A webhook with an event whose retry is due. */
async function withDueRetry() {
  const feed = await aFeed();
  const webhook = await aWebhook(feed);
  await webhook.answers(DOWN);
  await feed.publish(1);
  await webhook.deliver();
  advance(10 * SECOND);
  return { feed, webhook };
}

describe('the alarm of a webhook with a due retry', () => {
  it('waits for a minute while all partners are suspended', async () => {
    const { feed, webhook } = await withDueRetry();
    await feed.setStatus('suspended');
    advance(MINUTE);
    await webhook.deliver();
    expect(await webhook.alarm()).toBe(Date.now() + MINUTE);
  });

  it.each([
    ['fails', failing('D1_ERROR: no')],
    ['does not answer', hanging],
  ])(
    'waits for a minute while the database %s',
    async (_, manner) => {
      const { webhook } = await withDueRetry();
      const db = new UnreliableDatabase();
      db.manner = manner;
      await deliverWith(webhook, db.asD1);
      expect(await webhook.alarm()).toBe(Date.now() + MINUTE);
      expect(await webhook.outcomes()).toEqual(['failed']);
    },
    30_000,
  );
});

describe('a delivery', () => {
  it('of a new event does not wait for all retries of other passes', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(DOWN);
    await feed.publish(...Array.from({ length: 90 }, (_, pass) => pass + 1));
    await webhook.deliver();
    advance(HOUR);
    const before = (await webhook.receivedIds()).length;
    await webhook.refuses(...Array.from({ length: 90 }, (_, pass) => `${idOf(pass + 1)}.1`));
    await webhook.answers(OK);
    await feed.publish(100);
    await webhook.deliver();
    const attempted = (await webhook.receivedIds()).slice(before);
    expect(attempted.indexOf(`${idOf(100)}.1`)).toBeGreaterThanOrEqual(0);
    expect(attempted.indexOf(`${idOf(100)}.1`)).toBeLessThan(40);
  });

  it('has succeeded with the status, even if the connection breaks in the body', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(OK, 'break in the body');
    await feed.publish(1);
    await webhook.deliver();
    expect(await webhook.outcomes()).toEqual(['delivered']);
  });

  it('that fails early, after a success of another event, waits as long as Retry-After demands', async () => {
    const { feed, webhook } = await withDueRetry();
    await webhook.deliver();
    advance(MINUTE);
    await feed.publish(2);
    await webhook.answers(OK, OK, { status: 429, headers: { 'retry-after': '3600' } });
    await webhook.deliver();
    expect(await webhook.outcomes()).toEqual(['failed', 'failed', 'delivered', 'failed']);
    advance(HOUR - SECOND);
    await webhook.deliver();
    expect(await webhook.outcomes()).toHaveLength(4);
    advance(2 * SECOND);
    await webhook.deliver();
    expect((await webhook.outcomes())?.at(-1)).toBe('delivered');
  });

  it('becomes due with each success, although an earlier success made it due in vain', async () => {
    const { feed, webhook } = await withDueRetry();
    const [failing = ''] = await webhook.receivedIds();
    await webhook.answers(OK);
    await webhook.refuses(failing);
    await webhook.deliver();
    for (const pass of [2, 3]) {
      advance(MINUTE);
      await feed.publish(pass);
      await webhook.deliver();
    }
    expect(await webhook.outcomes()).toEqual(['failed', 'failed', 'delivered', 'failed', 'delivered', 'failed']);
  });

  it('is repeated more and more slowly while only other events succeed', async () => {
    const { feed, webhook } = await withDueRetry();
    const [failing = ''] = await webhook.receivedIds();
    await webhook.answers(OK);
    await webhook.refuses(failing);
    await webhook.deliver();
    const attempts: number[] = [];
    for (let seconds = 0; seconds < 120; seconds += 1) {
      const before = (await webhook.outcomes())?.filter((outcome) => outcome === 'failed').length;
      await feed.publish(seconds + 2);
      await webhook.deliver();
      const after = (await webhook.outcomes())?.filter((outcome) => outcome === 'failed').length;
      if (after !== before) attempts.push(seconds);
      advance(SECOND);
    }
    expect(attempts).toEqual([5, 15, 35, 75]);
  });
});

it('connects to no hostile URL of a deployment, even if it is stored', async () => {
  const feed = await aFeed();
  const drawn = crypto.getRandomValues(new Uint8Array(32));
  const deployment = {
    ...(env as Env),
    ...{ DEPLOYMENT: 'production', PUBLIC_ORIGIN: 'https://passes.acme.io', RPC_ENDPOINTS: '{}' },
    ...{ TOKEN_ISSUER: 'https://login.acme.io', JWKS_URL: 'https://login.acme.io/jwks', TOKEN_URL: '' },
    ...{ ADMIN_ISSUER: '', ADMIN_JWKS_URL: '', ADMIN_AUDIENCE: 'operators', TOKEN_AUDIENCE: 'https://passes.acme.io' },
    ETHEREUM_GATEKEEPER_KEY: Array.from(drawn, (byte) => byte.toString(16).padStart(2, '0')).join(''),
    SOLANA_GATEKEEPER_KEY: undefined,
  } as unknown as Env;
  const fetched = vi.spyOn(globalThis, 'fetch');
  await feed.publish(1);
  for (const [trick, url] of Object.entries({ ...HOSTILE_TARGETS, 'the issuer': 'https://login.acme.io/' })) {
    const { object, id } = await aWebhook(feed, { url });
    const [tested, deliveries] = await runInDurableObject(object, async (_, context) => {
      const webhook = new WebhookObject(context, deployment);
      await webhook.alarm();
      return [await webhook.sendTest(), await webhook.deliveriesAfter(0, 10)];
    });
    const refused = { durationMs: 0, error: expect.stringMatching(/^the URL must /) };
    expect(tested, trick).toMatchObject({ delivered: false, ...refused });
    expect(deliveries, trick).toMatchObject([{ outcome: 'failed', ...refused }]);
    await openStore(env).removeWebhook(feed.gatekeeperNetwork, id);
  }
  expect(fetched).not.toHaveBeenCalled();
});

describe('a replay', () => {
  it('waits for the deliveries in flight', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(OK, 'hang');
    shortenResponseTimeout();
    await feed.publish(1, 1);
    await webhook.object.wake();
    await eventually(async () => expect(await webhook.receivedIds()).toHaveLength(1));
    expect(await webhook.object.replay(0)).toMatchObject({ type: 'replaying', webhook: { cursor: 0, waiting: 0 } });
    await webhook.deliver();
    expect(await webhook.outcomes()).toEqual(['failed', 'delivered', 'delivered']);
  });
});

describe('a deletion', () => {
  it('is final, whatever runs at the same time', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await feed.publish(1, 2, 3);
    await webhook.object.change({ status: 'disabled' }, 'partner');
    const { object } = webhook;
    await Promise.all([
      ...[object.change({ status: 'enabled' }, 'partner'), webhook.deliver(), object.remove(), object.wake()],
      ...[object.replay(1), object.rotateSecret(), object.wake()],
    ]);
    await eventually(async () => expect(await webhook.alarm()).toBeNull());
    expect(await object.read()).toBeUndefined();
    await evictDurableObject(object);
    expect(await object.read()).toBeUndefined();
  });

  it('during a delivery leaves nothing', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
    await feed.publish(1, 1, 2, 2, 3, 3, 4, 4);
    const delivery = webhook.deliver();
    await eventually(async () => expect((await webhook.receivedIds()).length).toBeGreaterThan(0));
    expect(await webhook.object.remove()).toBe(true);
    await delivery;
    const tables = await runInDurableObject(webhook.object, (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name IN ('waiting', 'delivery')").toArray(),
    );
    expect(tables).toEqual([]);
    expect(await webhook.alarm()).toBeNull();
    expect(errors.mock.calls).toEqual([]);
  });
});
