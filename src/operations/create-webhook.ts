import { v7 as uuidv7 } from 'uuid';
import type { Partner } from '../store/partners.ts';
import { MAX_WEBHOOKS } from '../store/webhooks.ts';
import type { Webhook, WebhookView } from '../webhook-object/webhook.ts';
import type { Backend } from './backend.ts';
import { listWebhooks } from './list-webhooks.ts';
import { hasStoppedHost } from './stopped-host.ts';

type Created = WebhookView & { readonly secret: string };

/**
 * Creates a webhook, whose first event is the next one of the feed, or returns why not. The request may end at any point: the
 * object is the first to have the webhook, which does nothing until the list has its id, and goes if the list never gets it.
 */
export async function createWebhook(
  owner: Pick<Partner, 'gatekeeperNetwork' | 'shard'>,
  settings: Pick<Webhook, 'url' | 'types' | 'description'>,
  cursor: number,
  backend: Backend,
): Promise<Created | 'too_many' | 'stopped' | 'unavailable'> {
  const { gatekeeperNetwork, shard } = owner;
  const webhooks = await listWebhooks(owner, backend);
  if (webhooks === undefined) return 'unavailable';
  if (hasStoppedHost(settings.url, webhooks)) return 'stopped';
  if (webhooks.length >= MAX_WEBHOOKS) return 'too_many';
  const id = uuidv7();
  const object = backend.webhookObject(gatekeeperNetwork, id);
  const createdAt = Math.floor(Date.now() / 1000);
  const created = await object.create({ ...settings, id, gatekeeperNetwork, shard, createdAt, cursor, isNew: true });
  try {
    // Another request may have taken the last place meanwhile.
    const isListed = await backend.store.addWebhook({ shard }, gatekeeperNetwork, id);
    // The object learns that it is listed. It has gone if this took longer than a minute.
    if (isListed) return (await object.read()) === undefined ? 'unavailable' : created;
  } catch (fault) {
    await object.remove();
    throw fault;
  }
  await object.remove();
  return 'too_many';
}
