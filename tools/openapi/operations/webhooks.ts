import { annotate, EXAMPLE } from '../fields.ts';
import type { Operations } from '../operation.ts';
import {
  AllWebhooks,
  CreatedWebhook,
  Deliveries,
  ReplayRequest,
  RotatedSecret,
  SwitchWebhookRequest,
  TestedWebhook,
  Webhook,
  WebhookChangeRequest,
  WebhookRequest,
  Webhooks,
} from '../schemas/webhooks.ts';

/** Webhooks of a partner, and the operator's view of all. */

const WEBHOOK = {
  id: EXAMPLE.webhookId,
  url: 'https://hooks.partner.example/gatepass',
  types: ['pass.issued', 'pass.revoked'],
  description: 'Production',
  status: 'enabled',
  createdAt: '2026-11-20T11:03:45.000Z',
  lastSuccessAt: '2026-11-20T12:15:02.412Z',
  cursor: 48_212,
  waiting: 0,
};
const { id, createdAt, lastSuccessAt: _, ...WEBHOOK_SETTINGS } = WEBHOOK;
const NEW_WEBHOOK = { id, ...WEBHOOK_SETTINGS, createdAt };
const DISABLED_WEBHOOK = { ...WEBHOOK, status: 'disabled', disabledReason: 'gone', waiting: 3 };
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

export const webhookOperations: Operations = {
  createWebhook: {
    summary: 'Create a webhook',
    description:
      'The service posts each new event of your gatekeeper network to the URL, signed as in Standard Webhooks 1.0. Only this response shows the secret. A gatekeeper network has at most five webhooks.',
    request: {
      body: WebhookRequest,
      examples: {
        all: { summary: 'All events', value: { url: WEBHOOK.url } },
        some: { summary: 'Some types', value: { url: WEBHOOK.url, types: WEBHOOK.types, description: 'Production' } },
      },
    },
    replies: {
      201: {
        description: 'The webhook with its secret.',
        body: CreatedWebhook,
        headers: ['Location'],
        examples: { created: { summary: 'Created', value: { ...NEW_WEBHOOK, secret: SECRET } } },
      },
    },
    refuses: ['webhook_limit_reached', 'webhook_disabled_by_operator', 'room_quota_reached'],
  },
  listWebhooks: {
    summary: 'List the webhooks of your gatekeeper network',
    description: 'Partners that share a gatekeeper network share its webhooks.',
    replies: {
      200: {
        description: 'The webhooks, oldest first.',
        body: Webhooks,
        examples: { webhooks: { summary: 'Two webhooks', value: { webhooks: [WEBHOOK, DISABLED_WEBHOOK] } } },
      },
    },
  },
  getWebhook: {
    summary: 'Fetch a webhook',
    description:
      'Shows whether the webhook is enabled, its position in the feed, and how many events wait for a retry.',
    replies: {
      200: {
        description: 'The webhook.',
        body: Webhook,
        examples: {
          enabled: { summary: 'Enabled', value: WEBHOOK },
          disabled: { summary: 'Disabled, because the URL answered 410', value: DISABLED_WEBHOOK },
        },
      },
    },
    refuses: ['invalid_request', 'webhook_not_found'],
  },
  updateWebhook: {
    summary: 'Change, disable or enable a webhook',
    description:
      'A missing field keeps its value. An enabled webhook continues after its `cursor`. If the feed has deleted events after it, the webhook continues with the oldest event that is left, `cursor` shows that position, and its next delivery is the notice `feed.events_deleted`. If the operator has disabled the webhook, or another one with the same host, only the operator enables it. The URL of a webhook that the operator has disabled stays.',
    request: {
      body: WebhookChangeRequest,
      examples: {
        enable: { summary: 'Enable it again', value: { status: 'enabled' } },
        types: { summary: 'Deliver all types', value: { types: null } },
      },
    },
    replies: {
      200: {
        description: 'The webhook after the change.',
        body: Webhook,
        examples: { updated: { summary: 'Changed', value: WEBHOOK } },
      },
    },
    refuses: ['webhook_not_found', 'webhook_disabled_by_operator', 'room_quota_reached'],
  },
  deleteWebhook: {
    summary: 'Delete a webhook',
    description:
      'Deletes the webhook with its secret and its deliveries. Deliveries in flight still end. A webhook that the operator has disabled stays.',
    replies: {
      204: { description: 'The webhook is deleted.' },
    },
    refuses: ['invalid_request', 'webhook_not_found', 'webhook_disabled_by_operator', 'room_quota_reached'],
  },
  testWebhook: {
    summary: 'Send a test delivery',
    description:
      'Posts an event of the type `webhook.test` to the URL and returns the outcome. The feed does not have this event. Once per ten seconds.',
    replies: {
      200: {
        description: 'The outcome of the delivery.',
        body: TestedWebhook,
        examples: {
          delivered: { summary: 'Delivered', value: { delivered: true, status: 204, durationMs: 84 } },
          late: {
            summary: 'No response',
            value: { delivered: false, durationMs: 15_000, error: 'no response within 15 s' },
          },
        },
      },
    },
    refuses: ['invalid_request', 'webhook_not_found'],
  },
  rotateWebhookSecret: {
    summary: 'Replace the secret of a webhook',
    description:
      'Only this response shows the new secret. For 24 hours, deliveries have a signature of each secret. A second rotation ends the validity of the oldest secret at once.',
    replies: {
      200: {
        description: 'The new secret.',
        body: RotatedSecret,
        examples: {
          rotated: { summary: 'Rotated', value: { secret: SECRET, previousValidUntil: '2026-11-21T11:03:45.000Z' } },
        },
      },
    },
    refuses: ['invalid_request', 'webhook_not_found', 'room_quota_reached'],
  },
  replayWebhook: {
    summary: 'Deliver events again',
    description:
      'Moves the position of the webhook, so that it delivers all events after the sequence again, with the same ids. Events that waited for a retry are among them. A sequence ahead of the position skips the events in between. Once per ten seconds. The webhooks of a gatekeeper network replay at most 100,000 events per day (UTC), and each replay counts 100 more than it repeats.',
    request: {
      body: ReplayRequest,
      examples: { after: { summary: 'All events after a sequence', value: { after: 48_200 } } },
    },
    replies: {
      202: {
        description: 'The webhook at its new position.',
        body: Webhook,
        examples: { replaying: { summary: 'At its new position', value: { ...WEBHOOK, cursor: 48_200 } } },
      },
    },
    refuses: ['webhook_not_found', 'cursor_expired', 'replay_quota_reached', 'room_quota_reached'],
  },
  listDeliveries: {
    summary: 'List the newest deliveries of a webhook, oldest first',
    description:
      'The service keeps the newest 1,000 attempts, with their status and duration, and no body of a response.',
    query: {
      after: annotate('The number of the last delivery that you have: the `next` of the previous response.', 1_200),
      limit: annotate('The maximum number of deliveries in the response.', 100),
    },
    replies: {
      200: {
        description: 'A page of deliveries.',
        body: Deliveries,
        examples: {
          page: {
            summary: 'A failed and a later delivery of an event',
            value: {
              deliveries: [
                {
                  number: 1_206,
                  event: `${EXAMPLE.id}.1`,
                  sequence: 48_212,
                  type: 'pass.issued',
                  at: '2026-11-20T12:14:57.028Z',
                  attempt: 1,
                  outcome: 'failed',
                  status: 503,
                  durationMs: 120,
                },
                {
                  number: 1_207,
                  event: `${EXAMPLE.id}.1`,
                  sequence: 48_212,
                  type: 'pass.issued',
                  at: '2026-11-20T12:15:02.412Z',
                  attempt: 2,
                  outcome: 'delivered',
                  status: 204,
                  durationMs: 84,
                },
              ],
              next: 1_207,
              more: false,
            },
          },
        },
      },
    },
    refuses: ['invalid_request', 'webhook_not_found'],
  },
  listAllWebhooks: {
    summary: 'List the webhooks of all gatekeeper networks with their lag',
    description:
      'Ordered by gatekeeper network. `limit` counts gatekeeper networks, each of which has at most five webhooks. `lag` is the number of sequences from the position of the webhook to the newest event.',
    query: {
      limit: annotate('The maximum number of gatekeeper networks in the response.', 100),
      after: annotate('Continues the list: the `next` of the previous response.', EXAMPLE.gatekeeperNetwork),
    },
    replies: {
      200: {
        description: 'A page of webhooks.',
        body: AllWebhooks,
        examples: {
          page: {
            summary: 'A page',
            value: { webhooks: [{ gatekeeperNetwork: EXAMPLE.gatekeeperNetwork, ...WEBHOOK, lag: 0 }], next: null },
          },
        },
      },
    },
  },
  disableWebhook: {
    summary: 'Disable or enable a webhook',
    description:
      'A disabled webhook delivers nothing until you enable it. Its partner can neither enable, test nor delete it, change its URL, nor give its host to another webhook or enable one with it. The feed keeps its events.',
    request: {
      body: SwitchWebhookRequest,
      examples: {
        disable: {
          summary: 'A webhook',
          value: { disable: { gatekeeperNetwork: EXAMPLE.gatekeeperNetwork, id: EXAMPLE.webhookId } },
        },
        enable: {
          summary: 'Enable it again',
          value: { enable: { gatekeeperNetwork: EXAMPLE.gatekeeperNetwork, id: EXAMPLE.webhookId } },
        },
      },
    },
    replies: {
      200: {
        description: 'The webhook after the change.',
        body: Webhook,
        examples: {
          disabled: { summary: 'Disabled', value: { ...WEBHOOK, status: 'disabled', disabledReason: 'operator' } },
        },
      },
    },
    refuses: ['webhook_not_found'],
  },
};
