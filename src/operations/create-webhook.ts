import { v7 as uuidv7 } from 'uuid';
import type { Partner } from '../store/partners.ts';
import { MAX_WEBHOOKS } from '../store/webhooks.ts';
import type { Webhook, WebhookView } from '../webhook-object/webhook.ts';
import type { Backend } from './backend.ts';
import { listWebhooks } from './list-webhooks.ts';

/**
 * Creates a webhook, whose first event is the next one of the feed. Undefined if the gatekeeper network has too many. The object
 * exists before publications wake it, so no event is lost.
 */
export async function createWebhook(
  { gatekeeperNetwork, shard }: Pick<Partner, 'gatekeeperNetwork' | 'shard'>,
  settings: Pick<Webhook, 'url' | 'types' | 'description'>,
  cursor: number,
  backend: Backend,
): Promise<(WebhookView & { readonly secret: string }) | undefined> {
  const { store, webhookObject } = backend;
  if (await hasNoPlace({ gatekeeperNetwork, shard }, backend)) return undefined;
  const id = uuidv7();
  const object = webhookObject(gatekeeperNetwork, id);
  const createdAt = Math.floor(Date.now() / 1000);
  const created = await object.create({ ...settings, id, gatekeeperNetwork, shard, createdAt, cursor });
  // Another request may have taken the last place meanwhile.
  const isListed = await store.addWebhook({ shard }, gatekeeperNetwork, id).catch(async (fault) => {
    await object.remove();
    throw fault;
  });
  if (isListed) return created;
  await object.remove();
  return undefined;
}

async function hasNoPlace(owner: Pick<Partner, 'gatekeeperNetwork' | 'shard'>, backend: Backend): Promise<boolean> {
  if ((await backend.store.webhooksOf(owner, owner.gatekeeperNetwork)).length < MAX_WEBHOOKS) return false;
  const webhooks = await listWebhooks(owner, backend);
  return webhooks === undefined || webhooks.length >= MAX_WEBHOOKS;
}
