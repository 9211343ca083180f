import type { Partner } from '../store/partners.ts';
import type { WebhookView } from '../webhook-object/webhook.ts';
import type { Backend } from './backend.ts';
import { callObject } from './call-object.ts';

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
