import { NETWORKS } from '../../network/networks.ts';
import type { Usage } from '../../store/usage.ts';
import { reply } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { UsageQuery } from '../schemas/requests.ts';

export const getUsage = route({
  operationId: 'getUsage',
  method: 'GET',
  path: '/usage',
  scope: 'search',
  query: UsageQuery,
  async handle({ query: { month = currentMonth() }, partner, bookmark, store }) {
    const { gatekeeperNetwork } = partner;
    const { found, bookmark: seen } = await store.usageOf(partner, { gatekeeperNetwork, month }, bookmark);
    return reply(200, JSON.stringify({ month, networks: usageJson(found) }), undefined, seen);
  },
});

/** Returns the usage of one gatekeeper network as the API returns it. */
export function usageJson(usage: readonly Usage[]) {
  return usage.map(({ network, issued, renewed, revoked, active }) => {
    const type = NETWORKS.find((each) => each.network === network)?.chain;
    return { chain: { type, network }, issued, renewed, revoked, active };
  });
}

/** Returns the current month (UTC), for example `2026-11`. */
export function currentMonth(): string {
  return new Date().toISOString().slice(0, 7);
}
