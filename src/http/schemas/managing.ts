import * as v from 'valibot';
import { isVisibleText, VISIBLE_TEXT_RULE, withCharacter } from '../../lib/characters.ts';
import { DAY_SECONDS } from '../../lib/units.ts';
import { CLOCK_MAX_DAYS } from '../../network/sandbox.ts';
import { EVENTS_DELETED, FEED_TYPES } from '../../pass/vocabulary.ts';
import { ID, note, queryNumber, reason, subject, text, UpdateFields, wholeNumber } from './requests.ts';

/** The rules of requests that load on demand: about subjects, webhooks, sandboxes and audit trails. */

export const SubjectPath = v.strictObject({ subject });

const PLACE_OF_ID = new RegExp(`^${ID}$`);
export const SubjectQuery = v.strictObject({
  after: v.optional(v.pipe(text, v.regex(PLACE_OF_ID, 'must be next of a response'), v.toLowerCase())),
  limit: queryNumber(1, 100, 20),
});

const { state, reference: _name, subject: _subject, ...ofUpdate } = UpdateFields.entries;
const SubjectFields = v.strictObject({ state, ...ofUpdate });
type ChangedSubject = v.InferOutput<typeof SubjectFields>;

export const hasOneSubjectChange = ({ state, expiryTimestamp }: ChangedSubject) =>
  (state === undefined) !== (expiryTimestamp === undefined);

export const SubjectBody = v.pipe(
  SubjectFields,
  v.check(hasOneSubjectChange, 'must have either state or expiryTimestamp'),
);

/** Beyond that number, a rule would ask too many passes. */
export const SUBJECT_MAX_PASSES = 1_000;
const maxPasses = v.optional(v.nullable(wholeNumber(1, SUBJECT_MAX_PASSES)));

export const RULE_FIELDS = {
  subjectMaxPasses: maxPasses,
  subjectMaxPassesPerNetwork: maxPasses,
  subjectRequired: v.optional(v.boolean('must be true or false')),
};
const RulesFields = v.strictObject({ ...RULE_FIELDS, reason });

export const hasRule = ({ reason: _, ...rules }: v.InferOutput<typeof RulesFields>) => Object.keys(rules).length > 0;

export const RulesBody = v.pipe(
  RulesFields,
  v.check(hasRule, 'must have subjectMaxPasses, subjectMaxPassesPerNetwork or subjectRequired'),
);

/** The rules of requests about webhooks. */

export const URL_MAX_CHARS = 2_000;

const types = `must be a list of one or more of ${FEED_TYPES.join(', ')}`;

const Url = v.pipe(text, v.maxLength(URL_MAX_CHARS, `must have at most ${URL_MAX_CHARS} characters`));
const Types = v.pipe(v.array(v.picklist(FEED_TYPES, types), types), v.minLength(1, types));

export const WebhookId = v.pipe(
  text,
  v.uuid(({ input }) => withCharacter('must be the id of a webhook', input, /[0-9A-Fa-f-]/)),
  v.toLowerCase(),
);
export const WebhookPath = v.strictObject({ webhook: WebhookId });

export const WebhookBody = v.strictObject({
  url: Url,
  types: v.optional(Types),
  description: note,
});

const ChangeFields = v.strictObject({
  url: v.optional(Url),
  types: v.optional(v.nullable(Types)),
  description: note,
  status: v.optional(v.picklist(['enabled', 'disabled'], 'must be enabled or disabled')),
});

export const hasField = (change: v.InferOutput<typeof ChangeFields>) => Object.keys(change).length > 0;

export const WebhookChangeBody = v.pipe(ChangeFields, v.check(hasField, 'must have url, types, description or status'));

export const ReplayBody = v.strictObject({ after: wholeNumber(0, 999_999_999_999_999) });

export const DeliveriesQuery = v.strictObject({
  after: queryNumber(0, 999_999_999_999, 0),
  limit: queryNumber(1, 1_000, 100),
});

/** The rules of requests about a sandbox. */

export const ClockBody = v.strictObject({ advanceSeconds: wholeNumber(1, CLOCK_MAX_DAYS * DAY_SECONDS) });

/** Every event that the feed or a webhook can have. */
export const TRIGGER_TYPES = [...FEED_TYPES, EVENTS_DELETED] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

export const TriggerBody = v.strictObject({
  type: v.picklist(TRIGGER_TYPES, `must be one of ${TRIGGER_TYPES.join(', ')}`),
  chain: v.optional(v.strictObject({ type: text, network: text })),
});

/** The rules of requests about audit trails. */

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isId = (value: string) => UUID.test(value);
const NAMED_PASS = /^([0-9a-fA-F-]{36}|[\w-]{1,50}\/[\w-]{1,50}\/\w{1,100})$/;

const noTime = 'must be a time like 2026-11-20T11:03:45Z, or a day like 2026-11-20, both in UTC';
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/;
export const isTime = (value: string) => !Number.isNaN(Date.parse(value));
const auditTime = v.optional(
  v.pipe(v.string(noTime), v.regex(TIME, noTime), v.check(isTime, noTime), v.transform(Date.parse)),
);

export const visible = (max: number) => {
  const rule = `must have 1 to ${max} characters`;
  return v.pipe(text, v.minLength(1, rule), v.maxLength(max, rule), v.check(isVisibleText, VISIBLE_TEXT_RULE));
};

export const AuditQuery = v.strictObject({
  pass: v.optional(
    v.pipe(
      text,
      v.regex(NAMED_PASS, ({ input }) =>
        withCharacter(
          'must be the id of a pass, or its chain, network and wallet like ethereum/sepolia/0x5290…9EE7',
          input,
          /[\w/-]/,
        ),
      ),
    ),
  ),
  client: v.optional(visible(200)),
  action: v.optional(visible(200)),
  from: auditTime,
  to: auditTime,
  order: v.optional(v.picklist(['oldest', 'newest'], 'must be oldest or newest'), 'oldest'),
  after: v.optional(queryNumber(0, 999_999_999_999, 0)),
  limit: queryNumber(1, 1_000, 100),
});
