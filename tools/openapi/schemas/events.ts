import * as v from 'valibot';
import { EVENTS_DELETED, FEED_TYPES } from '../../../src/pass/vocabulary.ts';
import { annotate, countField, EXAMPLE, extensibleEnum, PATTERN, stringField } from '../fields.ts';
import { PassEvent, PassRecord } from './passes.ts';

/** The event feed, as the feed and a delivery of a webhook show it. */

const { events: _, valid: __, waitsFor: ___, ...withoutHistory } = PassRecord.entries;

export const PassSnapshot = v.pipe(
  v.object(withoutHistory),
  v.description(
    'A pass at the time of an event: the record of the pass without its history. If the pass had a `reference`, the event shows the newest one, or none once it is removed.',
  ),
);

export const FeedEventData = v.pipe(
  v.object({ event: PassEvent, pass: PassSnapshot }),
  v.description('The entry in the history of the pass, and the pass at that time.'),
);

export const FeedEvent = v.pipe(
  v.object({
    id: stringField(
      'The id of the event: the id of the pass and a number that counts the events of the pass. It is the same in every response and every delivery.',
      `${EXAMPLE.id}.1`,
      { pattern: PATTERN.eventId },
    ),
    sequence: v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      annotate(
        'The place of the event in the feed of the gatekeeper network: 1, 2, 3 … A restore of the database skips numbers.',
        48_212,
      ),
    ),
    type: extensibleEnum(
      [...FEED_TYPES, EVENTS_DELETED],
      'The kind of event. Notices reach every reader, whatever types it asks for. `feed.restored`: the service restored its database. `feed.events_deleted`, only in deliveries: the feed deleted the next events of the webhook. After a notice, read the passes again.',
    ),
    timestamp: stringField('The time of the event, in ISO 8601 and UTC.', '2026-11-20T11:03:45.000Z', {
      format: 'date-time',
    }),
    data: v.optional(FeedEventData),
  }),
  v.description(
    'An event of the feed. It never changes, except for `reference` and `subject` of its pass, which are the newest ones. A notice has no `data`.',
  ),
);

export const FeedPage = v.pipe(
  v.object({
    events: v.pipe(
      v.array(FeedEvent),
      v.maxLength(1_000),
      v.description('At most `limit` events, in the order of `sequence`.'),
    ),
    next: countField(
      'The last sequence that the service read for this page. Send it as `after` for the next page. With `type`, it may be later than the last event.',
      48_212,
    ),
    more: v.pipe(v.boolean(), annotate('Whether the feed has later events.', false)),
  }),
  v.description('A page of the event feed.'),
);
