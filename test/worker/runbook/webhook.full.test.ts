import { expect, vi } from 'vitest';
import { Api } from '../http/api.ts';
import { aToken, trustingWorker } from '../http/issuer.ts';
import { anOperator } from '../http/operator.ts';
import { aFeed, aWebhook } from '../webhook-object/a-webhook.ts';
import { simulateClock } from '../webhook-object/simulated-clock.ts';
import { rehearse, send } from './rehearse.ts';

/** A receiver that is away for a week of simulated time. */

const { advance } = simulateClock();
const [MINUTE, DAY] = [60_000, 86_400_000];

rehearse(
  'A webhook fails',
  'after a week without its receiver, the partner enables it and replays what was given up',
  async (page) => {
    vi.spyOn(console, 'error').mockReturnValue();
    const feed = await aFeed();
    const webhook = await aWebhook(feed);
    await webhook.answers({ status: 503 });
    for (let day = 1; day <= 7; day += 1) {
      await feed.publish(day);
      for (let look = 0; look < 24; look += 1) {
        await webhook.deliver();
        advance(DAY / 24);
      }
    }
    const operator = await anOperator();
    const ID = webhook.id;
    const shown = await send(operator, page.next('curl $GATEPASS_URL/admin/webhooks'));
    const ours = (JSON.parse(shown.text) as { webhooks: { id: string }[] }).webhooks.find(({ id }) => id === ID);
    expect(ours).toMatchObject({ status: 'disabled', disabledReason: 'no_success' });

    await webhook.answers({ status: 200 });
    const before = (await webhook.receivedIds()).length;
    const partner = new Api(await aToken({ client_id: `of ${feed.gatekeeperNetwork}` }), trustingWorker);
    const deliveries = await send(partner, page.next('curl $GATEPASS_URL/webhooks/ID/deliveries'), { ID });
    expect(deliveries.status).toBe(200);
    const enabled = await send(partner, page.next('curl -X PATCH $GATEPASS_URL/webhooks/ID'), { ID });
    expect([enabled.status, JSON.parse(enabled.text).status]).toEqual([200, 'enabled']);
    const replayed = await send(partner, page.next('curl -X POST $GATEPASS_URL/webhooks/ID/replay'), {
      ID,
      POSITION: '0',
    });
    expect(replayed.status, replayed.text).toBe(202);
    for (let look = 0; look < 3; look += 1) {
      advance(MINUTE);
      await webhook.deliver();
    }
    const received = (await webhook.receivedIds()).slice(before);
    expect(new Set(received).size).toBe(7);

    const body = { ID, KEY: feed.gatekeeperNetwork };
    const disabled = await send(operator, page.next('curl -X POST $GATEPASS_URL/admin/webhooks'), body);
    expect(JSON.parse(disabled.text)).toMatchObject({ id: ID, status: 'disabled', disabledReason: 'operator' });
  },
);
