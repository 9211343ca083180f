import * as v from 'valibot';
import { isVisibleText, VISIBLE_TEXT_RULE } from '../../lib/visible-text.ts';
import { FEED_TYPES } from '../../pass/feed-types.ts';
import { gatekeeperNetwork, queryInteger } from './requests.ts';

/** The rules of requests about webhooks. `annotations.ts` describes each field. */

export const URL_MAX_CHARS = 2_000;
const DESCRIPTION_MAX_CHARS = 200;

const text = () => v.string('must be a string');
const types = `must be a list of one or more of ${FEED_TYPES.join(', ')}`;

const Url = v.pipe(text(), v.maxLength(URL_MAX_CHARS, `must have at most ${URL_MAX_CHARS} characters`));
const Types = v.pipe(v.array(v.picklist(FEED_TYPES, types), types), v.minLength(1, types));
const description = `must have 1 to ${DESCRIPTION_MAX_CHARS} characters`;
const Description = v.pipe(
  text(),
  v.minLength(1, description),
  v.maxLength(DESCRIPTION_MAX_CHARS, description),
  v.check(isVisibleText, VISIBLE_TEXT_RULE),
);

export const WebhookId = v.pipe(text(), v.uuid('must be the id of a webhook'), v.toLowerCase());
export const WebhookPath = v.strictObject({ webhook: WebhookId });

export const WebhookBody = v.strictObject({
  url: Url,
  types: v.optional(Types),
  description: v.optional(Description),
});

const ChangeFields = v.strictObject({
  url: v.optional(Url),
  types: v.optional(v.nullable(Types)),
  description: v.optional(Description),
  status: v.optional(v.picklist(['enabled', 'disabled'], 'must be enabled or disabled')),
});

export const hasField = (change: v.InferOutput<typeof ChangeFields>) => Object.keys(change).length > 0;

export const WebhookChangeBody = v.pipe(ChangeFields, v.check(hasField, 'must have url, types, description or status'));

const sequence = 'must be a sequence: a whole number of at least 0';

export const ReplayBody = v.strictObject({
  after: v.pipe(
    v.number(sequence),
    v.integer(sequence),
    v.minValue(0, sequence),
    v.maxValue(999_999_999_999_999, sequence),
  ),
});

export const DELIVERIES_MAX = 1_000;

export const DeliveriesQuery = v.strictObject({
  after: v.optional(queryInteger(0, 999_999_999_999), '0'),
  limit: v.optional(queryInteger(1, DELIVERIES_MAX), '100'),
});

/** The operator's query and body. */
export const WebhooksQuery = v.strictObject({
  limit: v.optional(queryInteger(1, 100), '100'),
  after: v.optional(gatekeeperNetwork()),
});

const WebhookName = v.strictObject({ gatekeeperNetwork: gatekeeperNetwork(), id: WebhookId });

const SwitchFields = v.strictObject({ disable: v.optional(WebhookName), enable: v.optional(WebhookName) });

export const hasOneSwitch = (body: v.InferOutput<typeof SwitchFields>) => Object.keys(body).length === 1;

export const SwitchWebhookBody = v.pipe(
  SwitchFields,
  v.check(hasOneSwitch, 'must have exactly one of disable and enable'),
);
