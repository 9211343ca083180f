import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { AllUsageQuery } from '../../schemas/usage-requests.ts';
import { currentMonth, usageJson } from '../../usage/usage-json.ts';

export const showUsage = adminRoute({
  operationId: 'listUsage',
  method: 'GET',
  path: '/admin/usage',
  scope: 'admin',
  summary: 'Count the passes of all partners in a month',
  description:
    'Has the numbers of `GET /usage` for each gatekeeper network, with its partners. All numbers are there or none: if a database does not answer, the response is 503.',
  replies: { 200: { description: 'A page of the usage.', body: 'UsageOfAll' } },
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
