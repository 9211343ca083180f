import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { route } from '../../route.ts';
import { DeliveriesQuery, WebhookPath } from '../../schemas/webhook-requests.ts';

export const listDeliveries = route({
  operationId: 'listDeliveries',
  method: 'GET',
  path: '/webhooks/:webhook/deliveries',
  scope: 'webhook',
  params: WebhookPath,
  query: DeliveriesQuery,
  async handle({ params: { webhook: id }, query: { after, limit }, partner, webhookObject }) {
    // One more than the page has tells whether there is another page.
    const found = await webhookObject(partner.gatekeeperNetwork, id).deliveriesAfter(after, limit + 1);
    if (found === undefined) return refuse('webhook_not_found');
    const deliveries = found.slice(0, limit);
    const next = deliveries.at(-1)?.number ?? after;
    return reply(200, JSON.stringify({ deliveries, next, more: found.length > limit }));
  },
});
