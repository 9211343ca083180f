import { listWebhooks } from '../../../operations/list-webhooks.ts';
import { hasStoppedHost } from '../../../operations/stopped-host.ts';
import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { refuseUnavailable } from '../../protocol/transient-error.ts';
import { route } from '../../route.ts';
import { WebhookChangeBody, WebhookPath } from '../../schemas/webhook-requests.ts';
import { normalTarget, refuseTarget } from '../../webhook/refuse-target.ts';

export const updateWebhook = route({
  operationId: 'updateWebhook',
  method: 'PATCH',
  path: '/webhooks/:webhook',
  scope: 'webhook',
  params: WebhookPath,
  body: WebhookChangeBody,
  async handle({ params: { webhook: id }, body, partner, config, ...backend }) {
    const refusal = body.url === undefined ? undefined : refuseTarget(body.url, config);
    if (refusal !== undefined) return refusal;
    const change = body.url === undefined ? body : { ...body, url: normalTarget(body.url) };
    const isUndoing = change.status === 'enabled' || change.url !== undefined;
    if (isUndoing) {
      const webhooks = await listWebhooks(partner, backend);
      if (webhooks === undefined) return refuseUnavailable();
      // One that is enabled already continues.
      const disabled = webhooks.find((webhook) => webhook.id === id && webhook.status === 'disabled');
      const url = change.url ?? disabled?.url;
      if (url !== undefined && hasStoppedHost(url, webhooks)) return refuse('webhook_disabled_by_operator');
    }
    const webhook = await backend.webhookObject(partner.gatekeeperNetwork, id).change(change, 'partner');
    if (isUndoing && webhook?.disabledReason === 'operator') return refuse('webhook_disabled_by_operator');
    return webhook === undefined ? refuse('webhook_not_found') : reply(200, JSON.stringify(webhook));
  },
});
