import { refuse } from '../../protocol/problem.ts';
import { route } from '../../route.ts';
import { WebhookPath } from '../../schemas/webhook-requests.ts';

export const deleteWebhook = route({
  operationId: 'deleteWebhook',
  method: 'DELETE',
  path: '/webhooks/:webhook',
  scope: 'webhook',
  params: WebhookPath,
  async handle({ params: { webhook: id }, partner, store, webhookObject }) {
    const { gatekeeperNetwork } = partner;
    const existed = await webhookObject(gatekeeperNetwork, id).remove('partner');
    if (existed === 'disabled_by_operator') return refuse('webhook_disabled_by_operator');
    // Also after a request that failed in between.
    const wasListed = await store.removeWebhook(partner, gatekeeperNetwork, id);
    return existed || wasListed ? { status: 204, body: null } : refuse('webhook_not_found');
  },
});
