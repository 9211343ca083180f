import { eventExample, exampleByOthers } from '../event-examples.ts';
import { annotate } from '../fields.ts';
import type { Operations } from '../operation.ts';
import { FeedPage } from '../schemas/events.ts';

/** The event feed. */

export const eventOperations: Operations = {
  listEvents: {
    summary: 'Read the event feed, oldest first',
    description:
      'Returns the events of your gatekeeper network in the order of `sequence`, which counts 1, 2, 3 … without a gap. Only a restore of the database skips numbers, and `feed.restored` is then the next event. To follow the feed, send the `next` of each response as `after` of the next request. `after=newest` returns no events and the newest sequence as `next`. The feed keeps events for 30 days by default. A request with a `limit` above 100 or with `type` is a large read: 20 in 10 seconds.',
    query: {
      after: annotate(
        'The last sequence that you have: the `next` of the previous response, or `newest` for the end of the feed. If absent, the feed starts with its oldest event. A page costs the same at any depth.',
        '48211',
      ),
      limit: annotate('The maximum number of events in the response.', 100),
      type: annotate(
        'Only events of these types, separated by commas, and the notice `feed.restored`. The service reads at most 1,000 events per request, so a page may be empty although `more` is true.',
        ['pass.issued', 'pass.revoked'],
      ),
    },
    replies: {
      200: {
        description: 'A page of events.',
        body: FeedPage,
        headers: ['Gatepass-Bookmark'],
        examples: {
          page: {
            summary: 'A page, with later events',
            value: { events: [eventExample('pass.issued'), eventExample('pass.renewed')], next: 48_202, more: true },
          },
          byOthers: {
            summary: 'A change that another gatekeeper made on chain',
            value: { events: [exampleByOthers('pass.frozen')], next: 48_203, more: false },
          },
          restored: {
            summary: 'After the restoration of a database',
            value: { events: [eventExample('feed.restored')], next: 10_000_048_212, more: false },
          },
          nothing: { summary: 'The end of the feed', value: { events: [], next: 48_212, more: false } },
        },
      },
    },
    refuses: ['invalid_request', 'cursor_expired'],
  },
};
