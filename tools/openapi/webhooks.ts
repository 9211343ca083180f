import { EVENTS_DELETED, FEED_TYPES } from '../../src/pass/vocabulary.ts';
import { EVENTS_DELETED_EXAMPLE, eventExample } from './event-examples.ts';
import type { Json } from './json.ts';
import { refTo } from './json-schema.ts';
import { TAGS } from './texts.ts';

/** The headers of a delivery, as in Standard Webhooks 1.0. */
const HEADERS: Readonly<Record<string, Json>> = {
  'webhook-id': {
    description: 'The id of the event. It is the same in every delivery of the event.',
    schema: { type: 'string' },
    example: eventExample('pass.issued').id,
  },
  'webhook-timestamp': {
    description: 'The time of the delivery in Unix seconds. Refuse a delivery that is older than five minutes.',
    schema: { type: 'integer' },
    example: 1_795_172_630,
  },
  'webhook-signature': {
    description:
      '`v1,` and base64 of the HMAC-SHA256 of `id.timestamp.body`. For a day after a rotation, there are two signatures, separated by a space.',
    schema: { type: 'string' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
};

/** Returns the `webhooks` of the document: the request that a webhook sends for each event. */
export function webhooksOf(): Json {
  const parameters = Object.entries(HEADERS).map(([name, header]) => ({
    name,
    in: 'header',
    required: true,
    ...header,
  }));
  const examples = Object.fromEntries(FEED_TYPES.map((type) => [type, { value: eventExample(type) }]));
  Object.assign(examples, { [EVENTS_DELETED]: { value: EVENTS_DELETED_EXAMPLE } });
  return {
    event: {
      post: {
        operationId: 'deliverEvent',
        summary: 'An event of the feed',
        description:
          'The service posts each event to your URL. Answer with 2xx within 15 seconds. Any other answer is a failure, and the service retries it for about three days. Events of a pass arrive in order. The notices `feed.restored` and `feed.events_deleted` arrive whatever types you want.',
        tags: [TAGS.webhooks.name],
        security: [],
        parameters,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: refTo('schemas', 'FeedEvent') }, examples } },
        },
        responses: {
          '2XX': { description: 'You have the event.' },
          '410': { description: 'You want no more events. The service disables the webhook.' },
        },
      },
    },
  };
}
