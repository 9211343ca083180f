import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Publication, publishPasses } from '../../../src/store/passes.ts';
import { aFedProjection } from '../store/rows.ts';
import { aFeed, aWebhook, verify } from './a-webhook.ts';
import { simulateClock } from './simulated-clock.ts';

/** The reference of a pass in the deliveries of a webhook. */

const { DB } = env as Env;
const HOUR = 3_600_000;
const DOWN = { status: 503 };
const SECRET = 'jane.doe@example.com';

const { advance } = simulateClock();
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

/** Publishes a version of the pass, with one event more. */
async function publish(number: number, version: number, gatekeeperNetwork: string, reference?: string): Promise<void> {
  const types = Array(version).fill(version === 1 ? 'pass.issued' : 'pass.reference_changed');
  const fed = aFedProjection(number, types, { gatekeeperNetwork, version });
  const [event] = fed.events.slice(-1).map((each) => {
    const { data, ...rest } = JSON.parse(each.body);
    const pass = { ...data.pass, ...(reference !== undefined && { reference: '' }) };
    return { ...each, body: JSON.stringify({ ...rest, data: { ...data, pass } }) };
  }) as [Publication['events'][number]];
  const record = JSON.stringify({ ...JSON.parse(fed.record), reference });
  await publishPasses(DB, [{ ...fed, record, events: [event] }]);
}

const referencesIn = (bodies: readonly { readonly body: string }[]) =>
  bodies.map(({ body }) => (JSON.parse(body) as { data: { pass: { reference?: string } } }).data.pass.reference);

describe('a delivery about a pass with a reference', () => {
  it('has the reference, and a retry has the newest one', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(DOWN);
    await publish(1, 1, feed.gatekeeperNetwork, 'order-1');
    await webhook.deliver();
    await publish(1, 2, feed.gatekeeperNetwork, 'order-2');
    await webhook.answers({ status: 204 });
    advance(HOUR);
    await webhook.deliver();
    const received = await webhook.received();
    expect(referencesIn(received)).toEqual(['order-1', 'order-2', 'order-2']);
    for (const request of received.slice(1)) verify(request, webhook.secret);
    const ids = received.map(({ headers }) => headers['webhook-id']);
    expect(ids[0]).toBe(ids[1]);
  });

  it('lacks a removed reference also in a retry, and the webhook stores none while events wait', async () => {
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers(DOWN);
    await publish(2, 1, feed.gatekeeperNetwork, SECRET);
    await webhook.deliver();
    await publish(2, 2, feed.gatekeeperNetwork, `${SECRET}.2`);
    await webhook.deliver();
    const stored = await runInDurableObject(webhook.object, (_, { storage }) =>
      storage.sql.exec('SELECT * FROM waiting').toArray(),
    );
    expect(stored.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored)).not.toContain(SECRET);
    await publish(2, 3, feed.gatekeeperNetwork);
    const before = (await webhook.received()).length;
    await webhook.answers({ status: 204 });
    advance(HOUR);
    await webhook.deliver();
    const later = (await webhook.received()).slice(before);
    expect(later).toHaveLength(3);
    expect(referencesIn(later)).toEqual([undefined, undefined, undefined]);
    for (const { body } of later) expect(body).not.toContain('"reference"');
  });
});
