import type { FeedPage } from '../../store/feed.ts';
import { feedEventJson } from '../../store/feed.ts';
import { refuse } from '../protocol/problem.ts';
import { reply } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { EventsQuery, NoParams } from '../schemas/requests.ts';

/** A page of more events is a large read. With types, the database reads a thousand events to find those of the types. */
const FREE_EVENTS = 100;

export const listEvents = route({
  operationId: 'listEvents',
  method: 'GET',
  path: '/events',
  scope: 'search',
  summary: 'Read the event feed, oldest first',
  description:
    'Returns the events of your gatekeeper network in the order of `sequence`, which counts 1, 2, 3 … without a gap. Only a restore of the database skips numbers, and `feed.restored` is then the next event. To follow the feed, send the `next` of each response as `after` of the next request. `after=newest` returns no events and the newest sequence as `next`. The feed keeps events for 30 days by default. A request with a `limit` above 100 or with `type` is a large read: 20 in 10 seconds.',
  params: NoParams,
  query: EventsQuery,
  readsMany: ({ query: { after, limit, type } }) => after !== 'newest' && (limit > FREE_EVENTS || type !== undefined),
  replies: { 200: { description: 'A page of events.', body: 'FeedPage', headers: ['Gatepass-Bookmark'] } },
  refuses: ['invalid_request', 'cursor_expired'],
  async handle({ query: { after, limit, type: types }, partner, bookmark, store }) {
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
