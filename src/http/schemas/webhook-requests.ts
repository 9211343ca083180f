import * as v from 'valibot';
import { isVisibleText, VISIBLE_TEXT_RULE } from '../../lib/visible-text.ts';
import { FEED_TYPES } from '../../pass/vocabulary.ts';
import { gatekeeperNetwork, queryNumber, text, wholeNumber } from './fields.ts';

/** The rules of requests about webhooks. */

export const URL_MAX_CHARS = 2_000;
const DESCRIPTION_MAX_CHARS = 200;

const types = `must be a list of one or more of ${FEED_TYPES.join(', ')}`;

const Url = v.pipe(text, v.maxLength(URL_MAX_CHARS, `must have at most ${URL_MAX_CHARS} characters`));
const Types = v.pipe(v.array(v.picklist(FEED_TYPES, types), types), v.minLength(1, types));
const description = `must have 1 to ${DESCRIPTION_MAX_CHARS} characters`;
const Description = v.pipe(
  text,
  v.minLength(1, description),
  v.maxLength(DESCRIPTION_MAX_CHARS, description),
  v.check(isVisibleText, VISIBLE_TEXT_RULE),
);

export const WebhookId = v.pipe(text, v.uuid('must be the id of a webhook'), v.toLowerCase());
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

export const ReplayBody = v.strictObject({ after: wholeNumber(0, 999_999_999_999_999) });

export const DeliveriesQuery = v.strictObject({
  after: queryNumber(0, 999_999_999_999, 0),
  limit: queryNumber(1, 1_000, 100),
});

/** The operator's query and body. */
export const WebhooksQuery = v.strictObject({
  limit: queryNumber(1, 100, 100),
  after: v.optional(gatekeeperNetwork),
});

const WebhookName = v.strictObject({ gatekeeperNetwork, id: WebhookId });

const SwitchFields = v.strictObject({ disable: v.optional(WebhookName), enable: v.optional(WebhookName) });

export const hasOneSwitch = (body: v.InferOutput<typeof SwitchFields>) => Object.keys(body).length === 1;

export const SwitchWebhookBody = v.pipe(
  SwitchFields,
  v.check(hasOneSwitch, 'must have exactly one of disable and enable'),
);
