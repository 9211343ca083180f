import { isVisibleText } from '../../lib/visible-text.ts';
import { EXAMPLE, type Keywords, PATTERN } from './fields.ts';
import { DELIVERIES_MAX, hasField, hasOneSwitch } from './webhook-requests.ts';

/** Descriptions and examples of requests about webhooks, as in `annotations.ts`. */

const WEBHOOK_URL: Keywords = {
  description:
    'A URL with `https:`, port 443 and a public host name. Not an address, a local name, or a host of this service.',
  format: 'uri',
  examples: ['https://hooks.partner.example/gatepass'],
};
const WEBHOOK_DESCRIPTION: Keywords = { description: 'Your description of the webhook.', examples: ['Production'] };
const NETWORK_OF_WEBHOOK: Keywords = {
  description: 'The gatekeeper network of the webhook.',
  examples: [EXAMPLE.gatekeeperNetwork],
};
const TYPES: Keywords = { examples: [['pass.issued', 'pass.revoked']] };

/** The checks of these requests, as in `annotations.ts`. */
export const WEBHOOK_CHECKS: readonly (readonly [unknown, Keywords])[] = [
  [hasField, { minProperties: 1 }],
  [hasOneSwitch, { minProperties: 1, maxProperties: 1 }],
  [isVisibleText, { pattern: PATTERN.visibleText }],
];

export const WEBHOOK_ANNOTATIONS: Readonly<Record<string, Keywords>> = {
  'listDeliveries/after': {
    minimum: 0,
    maximum: 999_999_999_999,
    description: 'The number of the last delivery that you have: the `next` of the previous response.',
    examples: [1_200],
  },
  'listDeliveries/limit': {
    minimum: 1,
    maximum: DELIVERIES_MAX,
    description: 'The maximum number of deliveries in the response.',
    examples: [100],
  },
  'listAllWebhooks/limit': {
    minimum: 1,
    maximum: 100,
    description: 'The maximum number of gatekeeper networks in the response.',
    examples: [100],
  },
  'listAllWebhooks/after': {
    description: 'Continues the list: the `next` of the previous response.',
    examples: [EXAMPLE.gatekeeperNetwork],
  },

  WebhookId: { description: 'The id of a webhook.', examples: [EXAMPLE.webhookId] },
  WebhookRequest: { description: 'The URL of the webhook and the events that it delivers.' },
  'WebhookRequest/url': WEBHOOK_URL,
  'WebhookRequest/types': {
    description: 'Only events of these types, and `feed.restored` and `feed.events_deleted`. If absent, all types.',
    ...TYPES,
  },
  'WebhookRequest/description': WEBHOOK_DESCRIPTION,
  WebhookChangeRequest: { description: 'The fields to change. A missing field keeps its value.' },
  'WebhookChangeRequest/url': WEBHOOK_URL,
  'WebhookChangeRequest/types': {
    description: 'Only events of these types, and `feed.restored` and `feed.events_deleted`. `null`: all types.',
    ...TYPES,
  },
  'WebhookChangeRequest/description': WEBHOOK_DESCRIPTION,
  'WebhookChangeRequest/status': {
    description: '`disabled` stops the deliveries. `enabled` continues them after `cursor`.',
    examples: ['enabled'],
  },
  ReplayRequest: { description: 'The position from which the webhook delivers again.' },
  'ReplayRequest/after': {
    description: 'Events after this sequence are delivered again. 0: all that the feed has from its beginning.',
    examples: [48_200],
  },
  SwitchWebhookRequest: { description: 'The webhook to disable, or to enable.' },
  'SwitchWebhookRequest/disable': { description: 'The webhook to disable.' },
  'SwitchWebhookRequest/disable/gatekeeperNetwork': NETWORK_OF_WEBHOOK,
  'SwitchWebhookRequest/enable': { description: 'The webhook to enable.' },
  'SwitchWebhookRequest/enable/gatekeeperNetwork': NETWORK_OF_WEBHOOK,
};
