import * as v from 'valibot';
import { type Position, positionIn } from '../lib/position.ts';

/** The forms of what the operator asks. In a query everything is text. */

const text = v.string('must be a string');
const STUCK_SECONDS = 300;
const LONGEST_SECONDS = 100 * 365 * 86_400;

const wholeText = (least: number, most: number) => {
  const range = `must be a whole number from ${least} to ${most}`;
  return v.pipe(
    v.string(range),
    v.regex(/^\d{1,12}$/, range),
    v.transform(Number),
    v.minValue(least, range),
    v.maxValue(most, range),
  );
};

const limit = v.optional(wholeText(1, 100), '100');
const WHERE = 'must be what an answer has as "next"';
const after = v.optional(
  v.pipe(
    text,
    v.check((where) => positionIn(where) !== undefined, WHERE),
    v.transform((where) => positionIn(where) as Position),
  ),
);

export const NoQuery = v.strictObject({});
export const PageQuery = v.strictObject({ limit, after });
export const StuckQuery = v.strictObject({
  olderThan: v.optional(wholeText(0, LONGEST_SECONDS), String(STUCK_SECONDS)),
  limit,
  after,
});

const seconds = `must be a whole number from 0 to ${LONGEST_SECONDS}`;
const CHOICES = ['pass', 'all', 'deadLetter', 'deadLetters'] as const;

export const RedriveBody = v.pipe(
  v.strictObject({
    pass: v.optional(v.strictObject({ gatekeeperNetwork: text, chain: text, network: text, walletAddress: text })),
    all: v.optional(v.literal('stuck', 'must be "stuck"')),
    olderThan: v.optional(
      v.pipe(v.number(seconds), v.integer(seconds), v.minValue(0, seconds), v.maxValue(LONGEST_SECONDS, seconds)),
    ),
    after,
    deadLetter: v.optional(text),
    deadLetters: v.optional(v.literal('all', 'must be "all"')),
  }),
  v.check(
    (body) => CHOICES.filter((choice) => body[choice] !== undefined).length === 1,
    `must have exactly one of ${CHOICES.join(', ')}`,
  ),
  v.check(
    ({ all, olderThan, after }) => all !== undefined || (olderThan === undefined && after === undefined),
    'must have olderThan and after only together with all',
  ),
  v.transform(({ olderThan = STUCK_SECONDS, ...body }) => ({ ...body, olderThan })),
);

export type Redrive = v.InferOutput<typeof RedriveBody>;
