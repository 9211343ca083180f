import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { AllUsageQuery } from '../../schemas/usage-requests.ts';
import { currentMonth, usageJson } from '../../usage/usage-json.ts';

export const showUsage = adminRoute({
  operationId: 'listUsage',
  method: 'GET',
  path: '/admin/usage',
  scope: 'admin',
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
