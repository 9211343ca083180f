import * as v from 'valibot';
import { ON_CHAIN_STATES } from '../../pass/vocabulary.ts';
import { annotate, EXAMPLE, extensibleEnum, unixSecondsField } from './fields.ts';

/** The public check of a pass. Only the OpenAPI generator and the tests load it. */

export const Verification = v.pipe(
  v.object({
    valid: v.pipe(
      v.boolean(),
      annotate('Whether the pass is known to be `ACTIVE` on chain, should be `ACTIVE`, and has not expired.', true),
    ),
    state: extensibleEnum(
      ON_CHAIN_STATES,
      'The state that the chain is known to hold. `NONE`: the wallet has no gateway token.',
      'ACTIVE',
    ),
    expiryTimestamp: v.optional(
      unixSecondsField(
        'The time when the pass expires. Absent if it never expires or is not on chain.',
        EXAMPLE.expiry,
      ),
    ),
    asOf: unixSecondsField('The time when the service read its database. It may have read the chain long before.'),
  }),
  v.description('Whether a wallet has a valid pass.'),
);
