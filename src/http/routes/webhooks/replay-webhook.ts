import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { refuseUnavailable } from '../../protocol/transient-error.ts';
import { route } from '../../route.ts';
import { ReplayBody, WebhookPath } from '../../schemas/webhook-requests.ts';
import { refuseTooSoon } from '../../webhook/refuse-too-soon.ts';

export const replayWebhook = route({
  operationId: 'replayWebhook',
  method: 'POST',
  path: '/webhooks/:webhook/replay',
  scope: 'webhook',
  params: WebhookPath,
  body: ReplayBody,
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
      case 'quota_reached': {
        const { events, left, retryAfter } = result;
        const detail = `The replay counts as ${events} events, and the webhooks of your gatekeeper network may replay ${left} more today. Replay fewer, read them with GET /events, or try again after midnight UTC.`;
        return refuse('replay_quota_reached', { detail, headers: { 'retry-after': String(retryAfter) } });
      }
      case 'unavailable':
        return refuseUnavailable();
      case 'replaying':
        return reply(202, JSON.stringify(result.webhook));
    }
  },
});
