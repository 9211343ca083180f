import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { route } from '../../route.ts';
import { WebhookPath } from '../../schemas/webhook-requests.ts';

export const rotateWebhookSecret = route({
  operationId: 'rotateWebhookSecret',
  method: 'POST',
  path: '/webhooks/:webhook/rotate-secret',
  scope: 'webhook',
  summary: 'Replace the secret of a webhook',
  description:
    'Only this response shows the new secret. For 24 hours, deliveries have a signature of each secret. A second rotation ends the validity of the oldest secret at once.',
  params: WebhookPath,
  replies: { 200: { description: 'The new secret.', body: 'RotatedSecret' } },
  refuses: ['invalid_request', 'webhook_not_found'],
  async handle({ params: { webhook: id }, partner, webhookObject }) {
    const rotated = await webhookObject(partner.gatekeeperNetwork, id).rotateSecret();
    return rotated === undefined ? refuse('webhook_not_found') : reply(200, JSON.stringify(rotated));
  },
});
