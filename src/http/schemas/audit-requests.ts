import * as v from 'valibot';
import { OPERATOR_TRAIL } from '../../audit/entry.ts';
import { isVisibleText, VISIBLE_TEXT_RULE } from '../../lib/visible-text.ts';
import { withCharacter } from '../../lib/wrong-character.ts';
import { gatekeeperNetwork, queryNumber, reason, text } from './requests.ts';

/** The rules of requests about audit trails. */

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isId = (value: string) => ID.test(value);
const PASS = /^([0-9a-fA-F-]{36}|[\w-]{1,50}\/[\w-]{1,50}\/\w{1,100})$/;

const noTime = 'must be a time like 2026-11-20T11:03:45Z, or a day like 2026-11-20, both in UTC';
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/;
export const isTime = (value: string) => !Number.isNaN(Date.parse(value));
const time = v.optional(
  v.pipe(v.string(noTime), v.regex(TIME, noTime), v.check(isTime, noTime), v.transform(Date.parse)),
);

const visible = (max: number) => {
  const rule = `must have 1 to ${max} characters`;
  return v.pipe(text, v.minLength(1, rule), v.maxLength(max, rule), v.check(isVisibleText, VISIBLE_TEXT_RULE));
};

const name = visible(200);

export const AuditQuery = v.strictObject({
  pass: v.optional(
    v.pipe(
      text,
      v.regex(PASS, ({ input }) =>
        withCharacter(
          'must be the id of a pass, or its chain, network and wallet like ethereum/sepolia/0x5290…9EE7',
          input,
          /[\w/-]/,
        ),
      ),
    ),
  ),
  client: v.optional(name),
  action: v.optional(name),
  from: time,
  to: time,
  order: v.optional(v.picklist(['oldest', 'newest'], 'must be oldest or newest'), 'oldest'),
  after: v.optional(queryNumber(0, 999_999_999_999, 0)),
  limit: queryNumber(1, 1_000, 100),
});

/** The operator's query. */
export const AllAuditQuery = v.strictObject({
  trail: v.optional(
    v.union([v.literal(OPERATOR_TRAIL), gatekeeperNetwork], 'must be "operator" or a gatekeeper network'),
  ),
  ...AuditQuery.entries,
});

const argumentsRule = 'must be a list of at most 50 texts';

/** A command of the operator, with its arguments but without secrets. */
export const CommandBody = v.strictObject({
  command: visible(50),
  environment: visible(100),
  arguments: v.optional(v.pipe(v.array(visible(500), argumentsRule), v.maxLength(50, argumentsRule))),
  reason,
});
