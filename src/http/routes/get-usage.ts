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
  summary: 'Count the passes issued, renewed and revoked in a month, and the active ones',
  description:
    'Counts the confirmed transactions of your gatekeeper network by network. Each is an event of the feed with a transaction, and `pass.reorged` takes one back. Changes by others and tokens that the service found do not count.',
  params: NoParams,
  query: UsageQuery,
  replies: { 200: { description: 'The usage of the month.', body: 'Usage', headers: ['Gatepass-Bookmark'] } },
  refuses: ['invalid_request'],
  async handle({ query: { month = currentMonth() }, partner, bookmark, store }) {
    const { gatekeeperNetwork } = partner;
    const { found, bookmark: seen } = await store.usageOf(partner, { gatekeeperNetwork, month }, bookmark);
    return reply(200, JSON.stringify({ month, networks: usageJson(found) }), undefined, seen);
  },
});
