import { createWebhook } from '../../../operations/create-webhook.ts';
import { READ_PRIMARY } from '../../../store/bookmarked-reads.ts';
import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { refuseUnavailable } from '../../protocol/transient-error.ts';
import { route } from '../../route.ts';
import { NoParams } from '../../schemas/requests.ts';
import { WebhookBody } from '../../schemas/webhook-requests.ts';
import { normalTarget, refuseTarget } from '../../webhook/refuse-target.ts';

export const postWebhook = route({
  operationId: 'createWebhook',
  method: 'POST',
  path: '/webhooks',
  scope: 'webhook',
  params: NoParams,
  body: WebhookBody,
  async handle({ body: { url, types, description }, partner, config, ...backend }) {
    const refusal = refuseTarget(url, config);
    if (refusal !== undefined) return refusal;
    const { found: newest } = await backend.store.newestSequence(partner, partner.gatekeeperNetwork, READ_PRIMARY);
    const created = await createWebhook(partner, { url: normalTarget(url), types, description }, newest, backend);
    if (created === 'too_many') return refuse('webhook_limit_reached');
    if (created === 'stopped') return refuse('webhook_disabled_by_operator');
    if (created === 'unavailable') return refuseUnavailable();
    const location = `${config.basePath}/webhooks/${created.id}`;
    return { ...reply(201, JSON.stringify(created)), headers: { location } };
  },
});
