import { refuse } from '../http/protocol/problem.ts';
import { reply } from '../http/protocol/reply.ts';
import { adminRoute } from '../http/route.ts';
import { currentMonth, usageJson } from '../http/routes/usage.ts';
import { AllUsageQuery, SwitchWebhookBody, WebhooksQuery } from '../http/schemas/requests.ts';
import { callObject } from '../message/call-object.ts';
import type { Backend } from '../operations/backend.ts';
import type { WatchedFeeds } from '../store/feed.ts';

const listAllWebhooks = adminRoute({
  operationId: 'listAllWebhooks',
  method: 'GET',
  path: '/admin/webhooks',
  right: 'read',
  query: WebhooksQuery,
  async handle({ query: { limit, after }, ...backend }) {
    const { feeds, unread } = await backend.store.watchedFeedsAfter(after ?? '', limit);
    const webhooks = (await Promise.all(feeds.map((feed) => readWebhooks(feed, backend)))).flat();
    const next = feeds.length === limit ? (feeds.at(-1)?.gatekeeperNetwork ?? null) : null;
    const unreadShards = unread.length > 0 ? unread : undefined;
    return reply(200, JSON.stringify({ webhooks, next, unreadShards }));
  },
});

/** Returns the webhooks of a feed. A webhook whose object does not answer has only its id. An id without a webhook is left over. */
async function readWebhooks(
  { gatekeeperNetwork, sequence, webhooks }: WatchedFeeds['feeds'][number],
  { webhookObject }: Backend,
) {
  const read = webhooks.map(async (id) => {
    const answer = async () => ({ webhook: await webhookObject(gatekeeperNetwork, id).read() });
    const found = await callObject(answer, 'webhook', id);
    if (found === undefined) return { gatekeeperNetwork, id, unreachable: true };
    const { webhook } = found;
    return webhook && { gatekeeperNetwork, ...webhook, lag: Math.max(0, sequence - webhook.cursor) };
  });
  return (await Promise.all(read)).filter((webhook) => webhook !== undefined);
}

const disableWebhook = adminRoute({
  operationId: 'disableWebhook',
  method: 'POST',
  path: '/admin/webhooks',
  right: 'act',
  action: 'operator.switch_webhook',
  body: SwitchWebhookBody,
  async handle({ body: { disable, enable }, webhookObject }) {
    const { gatekeeperNetwork, id } = disable ?? enable ?? { gatekeeperNetwork: '', id: '' };
    const status = disable === undefined ? 'enabled' : 'disabled';
    const webhook = await webhookObject(gatekeeperNetwork, id).change({ status }, 'operator');
    return webhook === undefined ? refuse('webhook_not_found') : reply(200, JSON.stringify(webhook));
  },
});

const listUsage = adminRoute({
  operationId: 'listUsage',
  method: 'GET',
  path: '/admin/usage',
  right: 'read',
  query: AllUsageQuery,
  async handle({ query: { month = currentMonth(), limit, after }, store }) {
    const page = await store.usageOfAll(month, { after, limit });
    const gatekeeperNetworks = page.map(({ gatekeeperNetwork, clients, usage }) => ({
      gatekeeperNetwork,
      clients: clients.map(({ id, name }) => ({ clientId: id, name })),
      networks: usageJson(usage),
    }));
    const next = page.length === limit ? (page.at(-1)?.gatekeeperNetwork ?? null) : null;
    return reply(200, JSON.stringify({ month, gatekeeperNetworks, next }));
  },
});

export const partnerRoutes = [listAllWebhooks, disableWebhook, listUsage];
