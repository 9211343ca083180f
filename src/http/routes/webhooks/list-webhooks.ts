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
  params: NoParams,
  async handle({ partner, ...backend }) {
    const webhooks = await listWebhooks(partner, backend);
    return webhooks === undefined ? refuseUnavailable() : reply(200, JSON.stringify({ webhooks }));
  },
});
