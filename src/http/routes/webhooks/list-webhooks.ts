import { listWebhooks } from '../../../operations/list-webhooks.ts';
import { reply } from '../../protocol/reply.ts';
import { refuseUnavailable } from '../../protocol/transient-error.ts';
import { route } from '../../route.ts';
import { NoParams } from '../../schemas/requests.ts';

export const showOwnWebhooks = route({
  operationId: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  scope: 'webhook',
  summary: 'List the webhooks of your gatekeeper network',
  description: 'Partners that share a gatekeeper network share its webhooks.',
  params: NoParams,
  replies: { 200: { description: 'The webhooks, oldest first.', body: 'Webhooks' } },
  async handle({ partner, ...backend }) {
    const webhooks = await listWebhooks(partner, backend);
    return webhooks === undefined ? refuseUnavailable() : reply(200, JSON.stringify({ webhooks }));
  },
});
