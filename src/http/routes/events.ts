import { NETWORKS } from '../../network/networks.ts';
import { type FeedPage, feedEventJson } from '../../store/feed.ts';
import type { Usage } from '../../store/usage.ts';
import { refuse } from '../protocol/problem.ts';
import { reply } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { EventsQuery, UsageQuery } from '../schemas/requests.ts';

/** A page of more events is a large read. With types, the database reads a thousand events to find those of the types. */
const FREE_EVENTS = 100;

export const listEvents = route({
  operationId: 'listEvents',
  method: 'GET',
  path: '/events',
  scope: 'search',
  query: EventsQuery,
  readsMany: ({ query: { after, limit, type } }) => after !== 'newest' && (limit > FREE_EVENTS || type !== undefined),
  async handle({ query: { after, limit, type: types }, partner, bookmark, backend: { store } }) {
    const { gatekeeperNetwork } = partner;
    if (after === 'newest') {
      const { found: next, bookmark: seen } = await store.newestSequence(partner, gatekeeperNetwork, bookmark);
      return reply(200, pageJson({ events: [], next, more: false }), undefined, seen);
    }
    const { found, bookmark: seen } = await store.readFeed(
      partner,
      { gatekeeperNetwork, after, limit, types },
      bookmark,
    );
    if (found.type === 'cursor_expired') return refuse('cursor_expired', { oldest: found.oldest });
    return reply(200, pageJson(found), undefined, seen);
  },
});

function pageJson({ events, next, more }: Omit<FeedPage, 'type'>): string {
  return `{"events":[${events.map(feedEventJson).join()}],"next":${next},"more":${more}}`;
}

export const getUsage = route({
  operationId: 'getUsage',
  method: 'GET',
  path: '/usage',
  scope: 'search',
  query: UsageQuery,
  readsMany: ({ query: { subjects = false } }) => subjects,
  async handle({ query: { month = currentMonth(), subjects: counts }, partner, bookmark, backend: { store } }) {
    const { gatekeeperNetwork } = partner;
    const { found, bookmark: seen } = await store.usageOf(partner, { gatekeeperNetwork, month }, bookmark);
    const subjects = counts ? (await store.subjectsOf(partner, { gatekeeperNetwork }, bookmark)).found : undefined;
    return reply(200, JSON.stringify({ month, networks: usageJson(found), subjects }), undefined, seen);
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
