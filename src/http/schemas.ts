import * as v from 'valibot';
import { MAX_TIMESTAMP, PASS_STATES, WANTED_STATES } from '../pass/vocabulary.ts';

/** The forms of what comes in. Unknown fields are refused: an ignored filter would return the wrong passes. */

const text = v.string('must be a string');

export const NetworkPath = v.strictObject({ chain: text, chainNetwork: text });
export const WalletPath = v.strictObject({ chain: text, chainNetwork: text, wallet: text });
export const NoParams = v.strictObject({});

export const IssueBody = v.strictObject({ walletAddress: text });

const whole = (least: number, most: number) =>
  v.pipe(
    v.number(`must be a whole number from ${least} to ${most}`),
    v.integer(`must be a whole number from ${least} to ${most}`),
    v.minValue(least, `must be at least ${least}`),
    v.maxValue(most, `must be at most ${most}`),
  );

export const UpdateBody = v.pipe(
  v.strictObject({
    state: v.optional(v.picklist(WANTED_STATES, `must be one of ${WANTED_STATES.join(', ')}`)),
    expiryTimestamp: v.optional(whole(1, MAX_TIMESTAMP)),
  }),
  v.check(
    ({ state, expiryTimestamp }) => state !== undefined || expiryTimestamp !== undefined,
    'must have state, expiryTimestamp or both',
  ),
  v.forward(
    v.check(
      ({ state, expiryTimestamp }) => state !== 'REVOKED' || expiryTimestamp === undefined,
      'cannot be given together with the state REVOKED',
    ),
    ['expiryTimestamp'],
  ),
);

export const SearchBody = v.pipe(
  v.strictObject({
    limit: v.optional(whole(1, 100), 20),
    skip: v.optional(whole(0, 100_000)),
    after: v.optional(v.pipe(text, v.uuid('must be the id of a pass'), v.toLowerCase())),
    filter: v.optional(
      v.strictObject({
        state: v.optional(v.picklist(PASS_STATES, `must be one of ${PASS_STATES.join(', ')}`)),
        walletAddress: v.optional(text),
      }),
      {},
    ),
  }),
  v.forward(
    v.check(({ skip, after }) => skip === undefined || after === undefined, 'cannot be given together with skip'),
    ['after'],
  ),
);
