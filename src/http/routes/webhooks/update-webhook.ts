import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { route } from '../../route.ts';
import { WebhookChangeBody, WebhookPath } from '../../schemas/webhook-requests.ts';
import { refuseTarget } from '../../webhook/refuse-target.ts';

export const updateWebhook = route({
  operationId: 'updateWebhook',
  method: 'PATCH',
  path: '/webhooks/:webhook',
  scope: 'webhook',
  summary: 'Change, disable or enable a webhook',
  description:
    'A missing field keeps its value. An enabled webhook continues after its `cursor`. If the feed has deleted events after it, the webhook continues with the oldest event that is left, and `cursor` shows that position.',
  params: WebhookPath,
  body: WebhookChangeBody,
  replies: { 200: { description: 'The webhook after the change.', body: 'Webhook' } },
  refuses: ['webhook_not_found'],
  async handle({ params: { webhook: id }, body, partner, config, webhookObject }) {
    const refusal = body.url === undefined ? undefined : refuseTarget(body.url, config);
    if (refusal !== undefined) return refusal;
    const webhook = await webhookObject(partner.gatekeeperNetwork, id).change(body, 'partner');
    return webhook === undefined ? refuse('webhook_not_found') : reply(200, JSON.stringify(webhook));
  },
});
