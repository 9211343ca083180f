import { expect, it } from 'vitest';
import { verifyWebhook } from '../../../packages/client/src/verify-webhook.ts';
import { aFeed, aWebhook } from './a-webhook.ts';

/** The client verifies, in the Worker runtime, what the object of a webhook sends. */

it('the client verifies deliveries, test deliveries, and both signatures after a rotation', async () => {
  const feed = await aFeed();
  const { object, secret, received, deliver } = await aWebhook(feed);
  await object.sendTest();
  const rotated = await object.rotateSecret();
  if (rotated === undefined) throw new Error('there is no webhook');
  await feed.publish(1);
  await object.wake();
  await deliver();
  const [test, event] = await received();
  if (test === undefined || event === undefined) throw new Error('a delivery is missing');
  expect(await verifyWebhook(test, secret)).toEqual({
    id: expect.stringMatching(/^test\./),
    type: 'webhook.test',
    timestamp: expect.any(String),
  });
  await expect(verifyWebhook(test, rotated.secret)).rejects.toMatchObject({ reason: 'signature_invalid' });
  for (const known of [secret, rotated.secret]) {
    expect(await verifyWebhook(event, [known])).toMatchObject({ sequence: 1, type: 'pass.issued' });
    const request = new Request('https://hooks.partner.example', { method: 'POST', ...event });
    expect(await verifyWebhook(request, known)).toMatchObject({ id: event.headers['webhook-id'] });
  }
});
