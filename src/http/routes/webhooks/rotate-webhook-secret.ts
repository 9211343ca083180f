import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { route } from '../../route.ts';
import { WebhookPath } from '../../schemas/webhook-requests.ts';

export const rotateWebhookSecret = route({
  operationId: 'rotateWebhookSecret',
  method: 'POST',
  path: '/webhooks/:webhook/rotate-secret',
  scope: 'webhook',
  params: WebhookPath,
  async handle({ params: { webhook: id }, partner, webhookObject }) {
    const rotated = await webhookObject(partner.gatekeeperNetwork, id).rotateSecret();
    return rotated === undefined ? refuse('webhook_not_found') : reply(200, JSON.stringify(rotated));
  },
});
