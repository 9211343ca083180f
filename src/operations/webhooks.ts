import { v7 as uuidv7 } from 'uuid';
import { nowSeconds } from '../lib/time.ts';
import { callObject } from '../message/call-object.ts';
import { MAX_WEBHOOKS } from '../store/feed.ts';
import type { Partner } from '../store/partners.ts';
import type { Webhook, WebhookView } from '../webhook-object/webhook-store.ts';
import type { Backend } from './backend.ts';

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
  const createdAt = nowSeconds();
  const created = await object.create({ ...settings, id, gatekeeperNetwork, shard, createdAt, cursor, isNew: true });
  try {
    // Another request may have taken the last place meanwhile.
    const isListed = await backend.store.addWebhook(owner, gatekeeperNetwork, id);
    // The object learns that it is listed. It has gone if this took longer than a minute.
    if (isListed) return (await object.read()) === undefined ? 'unavailable' : created;
  } catch (fault) {
    await object.remove();
    throw fault;
  }
  await object.remove();
  return 'too_many';
}

/**
 * Whether the operator has disabled a webhook with the host of the URL. Otherwise a partner could undo the stop with another
 * webhook.
 */
export function hasStoppedHost(url: string, webhooks: readonly WebhookView[]): boolean {
  const host = URL.parse(url)?.host;
  return webhooks.some((webhook) => webhook.disabledReason === 'operator' && URL.parse(webhook.url)?.host === host);
}

/**
 * Returns the webhooks of a gatekeeper network, oldest first. Undefined if one of them does not answer, because a list without it
 * would look as if it were deleted. An id without a webhook, which a failed request left behind, gives up its place.
 */
export async function listWebhooks(
  owner: Pick<Partner, 'gatekeeperNetwork' | 'shard'>,
  { store, webhookObject }: Pick<Backend, 'store' | 'webhookObject'>,
): Promise<WebhookView[] | undefined> {
  const { gatekeeperNetwork } = owner;
  const ids = await store.webhooksOf(owner, gatekeeperNetwork);
  const read = ids.map((id) =>
    callObject(async () => ({ id, webhook: await webhookObject(gatekeeperNetwork, id).read() }), 'webhook', id),
  );
  const found = (await Promise.all(read)).filter((each) => each !== undefined);
  if (found.length < ids.length) return undefined;
  const left = found.filter(({ webhook }) => webhook === undefined);
  await Promise.all(left.map(({ id }) => store.removeWebhook(owner, gatekeeperNetwork, id)));
  return found.flatMap(({ webhook }) => webhook ?? []);
}
