import * as v from 'valibot';
import { NOT_SIGNED } from '../../../src/http/routes/sign-verdict.ts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { ON_CHAIN_STATES } from '../../../src/pass/vocabulary.ts';
import {
  annotate,
  contract,
  countField,
  EXAMPLE,
  extensibleEnum,
  proseField,
  stringField,
  unixSecondsField,
} from '../fields.ts';

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

const address = (description: string, example: string) =>
  stringField(`${description} With its EIP-55 checksum.`, example, { pattern: '^0x[0-9a-fA-F]{40}$' });

const typeFields = (text: string) =>
  v.pipe(
    v.array(
      v.object({
        name: proseField('The name of the field.', 'wallet'),
        type: proseField('Its Solidity type.', 'address'),
      }),
    ),
    v.description(text),
  );

const Verdict = v.pipe(
  v.object({
    domain: v.pipe(
      v.object({
        name: proseField('The name of the domain: always the same.', 'Gatepass verdict'),
        version: proseField('The version of the message.', '1'),
        chainId: countField('The number of the chain of the asking contract (chain id), as in the request.', 8453),
        verifyingContract: address('The asking contract, as in the request.', EXAMPLE.askingContract),
      }),
      v.description('The domain: only this contract on this chain accepts the signature.'),
    ),
    types: v.pipe(
      v.object({ PassVerdict: typeFields('The fields of the message, in the order of the type.') }),
      v.description('The type of the message.'),
    ),
    primaryType: proseField('The name of the type.', 'PassVerdict'),
    message: v.pipe(
      v.object({
        passChainId: countField('The number of the chain that has the pass (chain id).', 11_155_111),
        gateway: address('The contract that has the pass.', OWNERLESS_CONTRACT),
        gatekeeperNetwork: stringField(
          'The slot number of the gatekeeper network: a text, because JSON numbers are too small for it.',
          '1',
          { pattern: '^[0-9]{1,78}$' },
        ),
        wallet: address('The wallet.', EXAMPLE.ethereumWallet),
        issuedAt: unixSecondsField('The time of the verdict: `asOf`.'),
        notAfter: unixSecondsField(
          'The last second in which a contract may accept the verdict: at most ten minutes after `issuedAt` and after `coveredUntil`, and never after the expiry.',
          1_795_173_213,
        ),
      }),
      v.description('The message.'),
    ),
    signature: stringField('r, s and v of the signature by a key of `GET /verdict-keys`.', EXAMPLE.signature, {
      pattern: '^0x[0-9a-f]{130}$',
    }),
  }),
  v.description(
    'With `signed=1`, and only for a valid pass: a message of EIP-712 and its signature, for a contract. `notSigned` says otherwise why it is absent.',
  ),
);

const NotSigned = v.pipe(
  v.object({
    code: extensibleEnum(Object.keys(NOT_SIGNED), 'The reason.'),
    detail: proseField('The reason, for people.', NOT_SIGNED.not_on_chain),
  }),
  v.description('With `signed=1`: why there is no signature.'),
);

export const VerdictKeys = v.pipe(
  v.object({
    keys: v.pipe(
      v.array(
        v.object({
          address: address('The address of the key.', EXAMPLE.verdictKey),
          from: unixSecondsField('The time from which the service signs with it.'),
          until: v.optional(
            unixSecondsField(
              'The time at which it ended. Trust no verdict of it from then on. Absent while it signs.',
              1_798_000_000,
            ),
          ),
        }),
      ),
      v.description('All keys that have ever signed verdicts, the oldest first. An ended key stays in the list.'),
    ),
  }),
  v.description('The keys that sign verdicts.'),
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
    verdict: v.optional(Verdict),
    notSigned: v.optional(NotSigned),
  }),
  v.description('Whether a wallet has a valid pass.'),
);
