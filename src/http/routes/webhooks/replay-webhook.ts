import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { route } from '../../route.ts';
import { ReplayBody, WebhookPath } from '../../schemas/webhook-requests.ts';
import { refuseTooSoon } from '../../webhook/refuse-too-soon.ts';

export const replayWebhook = route({
  operationId: 'replayWebhook',
  method: 'POST',
  path: '/webhooks/:webhook/replay',
  scope: 'webhook',
  summary: 'Deliver events again',
  description:
    'Moves the position of the webhook, so that it delivers all events after the sequence again, with the same ids. Events that waited for a retry are among them. A sequence ahead of the position skips the events in between. Once per ten seconds.',
  params: WebhookPath,
  body: ReplayBody,
  replies: { 202: { description: 'The webhook at its new position.', body: 'Webhook' } },
  refuses: ['webhook_not_found', 'cursor_expired'],
  async handle({ params: { webhook: id }, body: { after }, partner, webhookObject }) {
    const result = await webhookObject(partner.gatekeeperNetwork, id).replay(after);
    if (result === undefined) return refuse('webhook_not_found');
    switch (result.type) {
      case 'too_soon':
        return refuseTooSoon();
      case 'cursor_expired':
        return refuse('cursor_expired', { oldest: result.oldest });
      case 'beyond_newest': {
        const detail = `must be at most ${result.newest}, the newest sequence of the feed`;
        return refuse('invalid_request', { errors: [{ pointer: '/after', detail }] });
      }
      case 'replaying':
        return reply(202, JSON.stringify(result.webhook));
    }
  },
});
