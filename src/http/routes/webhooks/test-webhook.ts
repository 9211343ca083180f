import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { route } from '../../route.ts';
import { WebhookPath } from '../../schemas/webhook-requests.ts';
import { refuseTooSoon } from '../../webhook/refuse-too-soon.ts';

export const testWebhook = route({
  operationId: 'testWebhook',
  method: 'POST',
  path: '/webhooks/:webhook/test',
  scope: 'webhook',
  params: WebhookPath,
  async handle({ params: { webhook: id }, partner, webhookObject }) {
    const tested = await webhookObject(partner.gatekeeperNetwork, id).sendTest();
    if (tested === undefined) return refuse('webhook_not_found');
    if (tested.type === 'too_soon') return refuseTooSoon();
    const { type: _, ...outcome } = tested;
    return reply(200, JSON.stringify(outcome));
  },
});
