import { expect, inject, it } from 'vitest';
import { createGatepass, verifyWebhook } from '../../../packages/client/src/gatepass.ts';
import type { ReceivedRequest } from '../../webhook-receiver.ts';
import { aPartner, aToken, trustingWorker } from './issuer.ts';

/** The client manages the webhooks of the real service. */

async function aClient() {
  const { clientId } = await aPartner();
  const { webhooks } = createGatepass({
    baseUrl: 'https://api.example',
    token: () => aToken({ client_id: clientId, scope: 'search:pass webhook:manage' }),
    fetch: (url, init) => trustingWorker(new Request(url, init)),
    retries: { times: 0 },
  });
  return webhooks;
}
const aUrl = () => `${inject('webhookReceiver')}/${crypto.randomUUID()}`;

it('the client creates, finds, changes and removes a webhook', async () => {
  const webhooks = await aClient();
  const { secret, ...created } = await webhooks.create({ url: aUrl(), types: ['pass.issued'], description: 'Staging' });
  expect(created).toMatchObject({ status: 'enabled', types: ['pass.issued'], description: 'Staging' });
  expect(await webhooks.list()).toEqual([created]);
  expect(await webhooks.get(created.id)).toEqual(created);
  expect(JSON.stringify(created)).not.toContain(secret);

  const disabled = await webhooks.update(created.id, { types: null, status: 'disabled' });
  expect(disabled).toMatchObject({ id: created.id, status: 'disabled', disabledReason: 'partner' });
  expect(disabled.types).toBeUndefined();

  await webhooks.remove(created.id);
  expect(await webhooks.get(created.id)).toBeUndefined();
  expect(await webhooks.list()).toEqual([]);
  await webhooks.remove(created.id);
});

it('the client verifies a test delivery with the secret of the created webhook, and of a rotation', async () => {
  const webhooks = await aClient();
  const { id, secret, url } = await webhooks.create({ url: aUrl() });
  const rotated = await webhooks.rotateSecret(id);
  expect(Date.parse(rotated.previousValidUntil)).toBeGreaterThan(Date.now());
  expect(await webhooks.test(id)).toMatchObject({ delivered: true, status: 204 });
  await expect(webhooks.test(id)).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 10_000 });
  const received = (await (await fetch(url)).json()) as ReceivedRequest[];
  expect(received).toHaveLength(1);
  for (const known of [secret, rotated.secret]) {
    for (const delivery of received)
      expect(await verifyWebhook(delivery, known)).toMatchObject({ type: 'webhook.test' });
  }
});

it('the client replays events and lists deliveries', async () => {
  const webhooks = await aClient();
  const { id } = await webhooks.create({ url: aUrl() });
  expect(await webhooks.replay(id, 0)).toMatchObject({ id, cursor: 0 });
  expect(await webhooks.deliveries(id, { after: 0, limit: 10 })).toEqual({ deliveries: [], next: 0, more: false });
  await expect((await aClient()).replay(id, 0)).rejects.toMatchObject({ code: 'webhook_not_found' });
});
