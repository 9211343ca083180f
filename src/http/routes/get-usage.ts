import { reply } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { NoParams } from '../schemas/requests.ts';
import { UsageQuery } from '../schemas/usage-requests.ts';
import { currentMonth, usageJson } from '../usage/usage-json.ts';

export const getUsage = route({
  operationId: 'getUsage',
  method: 'GET',
  path: '/usage',
  scope: 'search',
  params: NoParams,
  query: UsageQuery,
  async handle({ query: { month = currentMonth() }, partner, bookmark, store }) {
    const { gatekeeperNetwork } = partner;
    const { found, bookmark: seen } = await store.usageOf(partner, { gatekeeperNetwork, month }, bookmark);
    return reply(200, JSON.stringify({ month, networks: usageJson(found) }), undefined, seen);
  },
});
