import * as v from 'valibot';
import { ON_CHAIN_STATES } from '../../../src/pass/vocabulary.ts';
import { annotate, contract, EXAMPLE, extensibleEnum, proseField, stringField, unixSecondsField } from '../fields.ts';

/** Replies that need no token. */

const checksField = (names: readonly string[]) =>
  v.pipe(
    v.array(extensibleEnum(names, 'A check that succeeded.')),
    v.metadata({ description: 'The checks that succeeded.', examples: [names] }),
  );

export const Health = v.pipe(
  v.object({
    status: v.pipe(
      v.literal('ok'),
      v.description('Always `ok`. A fault gives a problem document instead.'),
      v.examples(['ok']),
    ),
    checks: checksField(['configuration']),
  }),
  v.description('The service runs, and its configuration is valid.'),
);

export const Readiness = v.pipe(
  v.object({
    status: v.pipe(
      v.literal('ready'),
      v.description('Always `ready`. A check that fails gives a problem document instead.'),
      v.examples(['ready']),
    ),
    checks: checksField(['databases', 'issuerKeys', 'signer']),
  }),
  v.description('The parts of the service answer.'),
);

const url = (description: string, example: string) => stringField(description, example, { format: 'uri' });

export const ProtectedResource = v.pipe(
  v.object({
    resource: url('The URL of this service: origin and base path.', 'https://passes.example.org'),
    resource_name: proseField('The name of the service, for people.', 'Gatepass'),
    authorization_servers: v.pipe(
      v.array(url('An issuer, as named in its tokens.', 'https://login.example.org/')),
      v.minLength(1),
      v.description('The issuers whose access tokens the service accepts.'),
    ),
    scopes_supported: v.pipe(
      v.array(stringField('A scope, by the name that the issuer uses.', 'search:pass', { minLength: 1 })),
      v.minLength(1),
      v.description('The scopes that the operations require.'),
    ),
    bearer_methods_supported: v.pipe(
      v.array(extensibleEnum(['header'], 'A way to send the token.')),
      v.minLength(1),
      v.description('The ways to send a token: only in the header `Authorization`.'),
    ),
  }),
  v.description('Metadata of a protected resource (RFC 9728).'),
);

export const Verification = v.pipe(
  v.object({
    valid: v.pipe(
      v.boolean(),
      annotate(
        'Whether the pass is known to be `ACTIVE` on chain, should be `ACTIVE`, and has not expired. `false` also if others have taken access away, or if a removed gatekeeper issued the token, or may have, and its tokens are void.',
        true,
      ),
    ),
    state: extensibleEnum(
      ON_CHAIN_STATES,
      'The state that the chain is known to hold. `NONE`: the wallet has no gateway token.',
      'ACTIVE',
    ),
    pending: v.optional(
      v.pipe(
        v.literal(true),
        annotate(
          'Present, and `valid` is `false`, if others have taken access away on chain and that is not final yet. `state` and `expiryTimestamp` show the earlier state until then. The field disappears when the change is final, or has left the chain.',
          true,
        ),
      ),
    ),
    expiryTimestamp: v.optional(
      unixSecondsField(
        'The time when the pass expires. Absent if it never expires or is not on chain.',
        EXAMPLE.expiry,
      ),
    ),
    contract,
    asOf: unixSecondsField('The time when the service read its database.'),
    coveredUntil: v.nullable(
      unixSecondsField(
        'The time up to which the service has followed the chain of the network. Changes by others until then are in this response: a loss once it is confirmed, any other change once it is final. Null if the service has never followed the chain. For a wallet without a pass, this is `asOf`, because no change on chain gives it one.',
      ),
    ),
  }),
  v.description('Whether a wallet has a valid pass.'),
);
