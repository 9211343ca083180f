import * as v from 'valibot';
import {
  ReplayBody,
  WebhookBody,
  WebhookChangeBody,
  WebhookId as WebhookIdRules,
} from '../../../src/http/schemas/managing.ts';
import { SwitchWebhookBody } from '../../../src/operator/requests.ts';
import { EVENTS_DELETED, FEED_TYPES } from '../../../src/pass/vocabulary.ts';
import { DISABLED_REASONS } from '../../../src/webhook-object/webhook-store.ts';
import { describe, object } from '../describe.ts';
import {
  annotate,
  countField,
  EXAMPLE,
  extensibleEnum,
  gatekeeperNetwork,
  PATTERN,
  proseField,
  REASON_TEXT,
  stringField,
} from '../fields.ts';

/** Requests and replies about webhooks. */

const WEBHOOK_URL = annotate(
  'A URL with `https:`, port 443 and a public host name. Not an address, a local name, or a host of this service.',
  'https://hooks.partner.example/gatepass',
  { format: 'uri' },
);
const WEBHOOK_DESCRIPTION = annotate('Your description of the webhook.', 'Production');
const SOME_TYPES = ['pass.issued', 'pass.revoked'];

export const WebhookId = describe(WebhookIdRules, annotate('The id of a webhook.', EXAMPLE.webhookId));

export const WebhookRequest = describe(WebhookBody, 'The URL of the webhook and the events that it delivers.', {
  url: WEBHOOK_URL,
  types: annotate(
    'Only events of these types, and `feed.restored` and `feed.events_deleted`. If absent, all types.',
    SOME_TYPES,
  ),
  description: WEBHOOK_DESCRIPTION,
});

export const WebhookChangeRequest = describe(
  WebhookChangeBody,
  'The fields to change. A missing field keeps its value.',
  {
    url: WEBHOOK_URL,
    types: annotate(
      'Only events of these types, and `feed.restored` and `feed.events_deleted`. `null`: all types.',
      SOME_TYPES,
    ),
    description: WEBHOOK_DESCRIPTION,
    status: annotate('`disabled` stops the deliveries. `enabled` continues them after `cursor`.', 'enabled'),
  },
);

export const ReplayRequest = describe(ReplayBody, 'The position from which the webhook delivers again.', {
  after: annotate(
    'Events after this sequence are delivered again. 0: all that the feed has from its beginning.',
    48_200,
  ),
});

const webhookToSwitch = (text: string) =>
  object(text, {
    gatekeeperNetwork: annotate('The gatekeeper network of the webhook.', EXAMPLE.gatekeeperNetwork),
    id: WebhookId,
  });

export const SwitchWebhookRequest = describe(SwitchWebhookBody, 'The webhook to disable, or to enable.', {
  disable: webhookToSwitch('The webhook to disable.'),
  enable: webhookToSwitch('The webhook to enable.'),
  reason: REASON_TEXT,
});

const time = (description: string) =>
  stringField(`${description} In ISO 8601 and UTC.`, '2026-11-20T11:03:45.000Z', { format: 'date-time' });
const webhookId = stringField('The id of the webhook: a UUIDv7.', EXAMPLE.webhookId, { format: 'uuid' });
const url = stringField('The URL that gets the deliveries.', 'https://hooks.partner.example/gatepass', {
  format: 'uri',
});
const secret = stringField(
  'The secret that verifies deliveries: `whsec_` and base64 of 32 bytes. Store it now, because no other response shows it.',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  { pattern: '^whsec_[A-Za-z0-9+/]{43}=$' },
);
const feedType = extensibleEnum([...FEED_TYPES, EVENTS_DELETED], 'A type of event.', 'pass.issued');

export const Webhook = v.pipe(
  v.object({
    id: webhookId,
    url,
    types: v.optional(
      v.pipe(v.array(feedType), v.description('The types of events that the webhook delivers. Absent: all types.')),
    ),
    description: v.optional(proseField('Your description of the webhook.', 'Production')),
    status: extensibleEnum(['enabled', 'disabled'], 'Whether the webhook delivers events.'),
    disabledReason: v.optional(
      extensibleEnum(
        DISABLED_REASONS,
        'Only if disabled. `gone`: the URL answered 410. `no_success`: no delivery succeeded for five days. `operator` and `partner`: disabled by request. Only the operator ends `operator`.',
      ),
    ),
    createdAt: time('When the webhook was created.'),
    lastSuccessAt: v.optional(time('When a delivery last succeeded.')),
    failingSince: v.optional(
      time('When the first delivery failed after the last success. Absent: the last one succeeded, or no event waits.'),
    ),
    cursor: countField(
      'The position in the feed. Each event up to this sequence is delivered, given up, or waits for a retry.',
      48_212,
    ),
    waiting: countField('The number of events that wait for a retry, or behind an earlier event of their pass.', 0),
  }),
  v.description('A webhook of your gatekeeper network.'),
);

export const CreatedWebhook = v.pipe(
  v.intersect([Webhook, v.object({ secret })]),
  v.description('The new webhook with its secret.'),
);

export const Webhooks = v.pipe(
  v.object({ webhooks: v.pipe(v.array(Webhook), v.maxLength(5), v.description('The webhooks, oldest first.')) }),
  v.description('All webhooks of your gatekeeper network.'),
);

export const RotatedSecret = v.pipe(
  v.object({ secret, previousValidUntil: time('Until when deliveries also have a signature of the previous secret.') }),
  v.description('The new secret of a webhook.'),
);

const status = v.optional(countField('The HTTP status of the response. Absent if there was none.', 204));
const durationMs = countField('The duration of the delivery in milliseconds.', 84);
const error = v.optional(proseField('Why there was no response.', 'no response within 15 s'));

export const TestedWebhook = v.pipe(
  v.object({
    delivered: v.pipe(v.boolean(), annotate('Whether the URL answered with 2xx.', true)),
    status,
    durationMs,
    error,
  }),
  v.description('The outcome of a test delivery.'),
);

export const Delivery = v.pipe(
  v.object({
    number: countField('The sequence number of the attempt: 1, 2, 3 … for each webhook.', 1_207),
    event: stringField('The id of the event.', `${EXAMPLE.id}.1`, { pattern: PATTERN.eventId }),
    sequence: countField('The place of the event in the feed.', 48_212),
    type: feedType,
    at: time('The end of the attempt.'),
    attempt: countField(
      'The number of attempts for the event so far, this one included. It grows more slowly if an attempt was made early.',
      1,
    ),
    outcome: extensibleEnum(
      ['delivered', 'failed', 'given_up'],
      '`failed`: another attempt follows. `given_up`: the last retry failed, or too many events wait. A replay delivers the event while the feed has it.',
    ),
    status,
    durationMs,
    error,
  }),
  v.description('An attempt to deliver an event.'),
);

export const Deliveries = v.pipe(
  v.object({
    deliveries: v.pipe(v.array(Delivery), v.maxLength(1_000), v.description('The attempts, oldest first.')),
    next: countField('The number of the last delivery. Send it as `after` for the next page.', 1_207),
    more: v.pipe(v.boolean(), annotate('Whether there are later deliveries.', false)),
  }),
  v.description('A page of the newest deliveries of a webhook.'),
);

export const OperatorWebhook = v.pipe(
  v.object({
    ...v.partial(Webhook.pipe[0]).entries,
    id: webhookId,
    gatekeeperNetwork,
    lag: v.optional(countField('The number of sequences from the position of the webhook to the newest event.', 0)),
    unreachable: v.optional(
      v.pipe(v.boolean(), annotate('Only if true: the object of the webhook does not answer.', true)),
    ),
  }),
  v.description('A webhook of any gatekeeper network.'),
);

export const AllWebhooks = v.pipe(
  v.object({
    webhooks: v.pipe(v.array(OperatorWebhook), v.description('The webhooks, ordered by gatekeeper network.')),
    next: v.nullable(
      stringField(
        'The gatekeeper network after which the next page begins. Null: this is the last page.',
        EXAMPLE.gatekeeperNetwork,
        { pattern: PATTERN.base58Key },
      ),
    ),
    unreadShards: v.optional(
      v.pipe(
        v.array(stringField('The name of a database.', 'DB_1')),
        v.description('The databases that did not answer. Their webhooks are missing.'),
      ),
    ),
  }),
  v.description('A page of all webhooks.'),
);
