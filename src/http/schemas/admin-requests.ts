import * as v from 'valibot';
import { type Cursor, parseCursor } from '../../lib/cursor.ts';
import { annotate, checkRule } from './annotations.ts';
import { EXAMPLE, POSITION, SOLANA_KEY } from './fields.ts';
import { ChainName, NetworkName, Wallet } from './requests.ts';

/** The forms of what the operator asks. In a query everything is text. */

const text = v.string('must be a string');
const STUCK_SECONDS = 300;
const LONGEST_SECONDS = 100 * 365 * 86_400;
const STUCK_FOR = 'For how long they have not been settled, in seconds.';

const wholeText = (least: number, most: number, description: string, example: number) => {
  const range = `must be a whole number from ${least} to ${most}`;
  return v.pipe(
    v.string(range),
    checkRule((digits) => /^\d{1,12}$/.test(digits), range, { type: 'integer', minimum: least, maximum: most }),
    annotate(description, example),
    v.transform(Number),
    v.minValue(least, range),
    v.maxValue(most, range),
  );
};

const limit = v.optional(wholeText(1, 100, 'How many at the most.', 100), '100');
const WHERE = 'must be what an answer has as "next"';
const after = v.optional(
  v.pipe(
    text,
    checkRule((where) => parseCursor(where) !== undefined, WHERE, { pattern: POSITION }),
    annotate('Goes on behind an answer: what it has as `next`.', EXAMPLE.position),
    v.transform((where) => parseCursor(where) as Cursor),
  ),
);

export const NoQuery = v.strictObject({});
export const PageQuery = v.strictObject({ limit, after });
export const StuckQuery = v.strictObject({
  olderThan: v.optional(wholeText(0, LONGEST_SECONDS, STUCK_FOR, STUCK_SECONDS), String(STUCK_SECONDS)),
  limit,
  after,
});

const seconds = `must be a whole number from 0 to ${LONGEST_SECONDS}`;
const CHOICES = ['pass', 'all', 'deadLetter', 'deadLetters'] as const;

export const RedriveBody = v.pipe(
  v.strictObject({
    pass: v.optional(
      v.pipe(
        v.strictObject({
          gatekeeperNetwork: v.pipe(
            text,
            annotate('Its gatekeeper network: base58 of 32 bytes.', EXAMPLE.gatekeeperNetwork, { pattern: SOLANA_KEY }),
          ),
          chain: ChainName,
          network: NetworkName,
          walletAddress: Wallet,
        }),
        v.description('Which pass to try again.'),
      ),
    ),
    all: v.optional(
      v.pipe(
        v.literal('stuck', 'must be "stuck"'),
        annotate('All that are not settled for longer than `olderThan`.', 'stuck'),
      ),
    ),
    olderThan: v.optional(
      v.pipe(
        v.number(seconds),
        v.integer(seconds),
        v.minValue(0, seconds),
        v.maxValue(LONGEST_SECONDS, seconds),
        annotate(`${STUCK_FOR} Only with \`all\`; ${STUCK_SECONDS} when it is missing.`, STUCK_SECONDS),
      ),
    ),
    after,
    deadLetter: v.optional(
      v.pipe(text, annotate('Id of the message to send again.', EXAMPLE.letter, { minLength: 1 })),
    ),
    deadLetters: v.optional(
      v.pipe(v.literal('all', 'must be "all"'), annotate('All messages that were given up, the newest first.', 'all')),
    ),
  }),
  checkRule(
    (body) => CHOICES.filter((choice) => body[choice] !== undefined).length === 1,
    `must have exactly one of ${CHOICES.join(', ')}`,
    { oneOf: CHOICES.map((choice) => ({ required: [choice] })) },
  ),
  checkRule(
    ({ all, olderThan, after }) => all !== undefined || (olderThan === undefined && after === undefined),
    'must have olderThan and after only together with all',
    { dependentRequired: { olderThan: ['all'], after: ['all'] } },
  ),
  v.description('Exactly one of `pass`, `all`, `deadLetter` and `deadLetters`.'),
  v.transform(({ olderThan = STUCK_SECONDS, ...body }) => ({ ...body, olderThan })),
);

export type Redrive = v.InferOutput<typeof RedriveBody>;
