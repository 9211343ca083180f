import { callObject } from '../../../operations/call-object.ts';
import { reply } from '../../protocol/reply.ts';
import { refuseUnavailable } from '../../protocol/transient-error.ts';
import { route } from '../../route.ts';
import { NoParams } from '../../schemas/requests.ts';

export const listWebhooks = route({
  operationId: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  scope: 'webhook',
  summary: 'List the webhooks of your gatekeeper network',
  description: 'Partners that share a gatekeeper network share its webhooks.',
  params: NoParams,
  replies: { 200: { description: 'The webhooks, oldest first.', body: 'Webhooks' } },
  async handle({ partner, store, webhookObject }) {
    const { gatekeeperNetwork } = partner;
    const ids = await store.webhooksOf(partner, gatekeeperNetwork);
    const read = ids.map((id) =>
      callObject(async () => ({ webhook: await webhookObject(gatekeeperNetwork, id).read() }), 'webhook', id),
    );
    const found = await Promise.all(read);
    // A list without one of the webhooks would look as if it were deleted.
    if (found.includes(undefined)) return refuseUnavailable();
    const webhooks = found.flatMap((each) => each?.webhook ?? []);
    return reply(200, JSON.stringify({ webhooks }));
  },
});
