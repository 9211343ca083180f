import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { route } from '../../route.ts';
import { WebhookPath } from '../../schemas/webhook-requests.ts';

export const getWebhook = route({
  operationId: 'getWebhook',
  method: 'GET',
  path: '/webhooks/:webhook',
  scope: 'webhook',
  params: WebhookPath,
  async handle({ params: { webhook: id }, partner, webhookObject }) {
    const webhook = await webhookObject(partner.gatekeeperNetwork, id).read();
    return webhook === undefined ? refuse('webhook_not_found') : reply(200, JSON.stringify(webhook));
  },
});
