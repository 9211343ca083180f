import * as v from 'valibot';
import { RECORD_MAX_EVENTS } from '../../pass/record.ts';
import { EVENT_TYPES, ON_CHAIN_STATES, PASS_STATES, TRANSACTION_STATUSES } from '../../pass/vocabulary.ts';
import {
  Chain,
  EXAMPLE,
  extensibleEnum,
  ownGatekeeperNetwork,
  passId,
  proseField,
  stringField,
  unixSecondsField,
  walletAddress,
} from './fields.ts';

/**
 * The bodies of replies. Only the generator and tests load them: the Worker checks no reply. Objects and lists of words are
 * open, so that a new field or word does not break generated clients.
 */

export const Transaction = v.pipe(
  v.object({
    identifier: stringField(
      'Its hash; on Solana its signature, in base58. It may change until `status` is `confirmed`.',
      '0x148c2f1f20a3b1de9f5a2f7cde87f1b1b1e54e7b4dbe8d5e9b6ac2f4c9c66163',
      { pattern: '^(0x[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{64,88})$' },
    ),
    status: extensibleEnum(
      TRANSACTION_STATUSES,
      '`sent`: in no block yet, or not deep enough. `confirmed`: done. `failed`: it brought nothing about. After a reorg `confirmed` may turn into `sent` or `failed`.',
      'confirmed',
    ),
  }),
  v.description(
    'A transaction on the chain. It has one status in all events that name it, so events already there change.',
  ),
);

export const PassEvent = v.pipe(
  v.object({
    eventType: extensibleEnum(
      EVENT_TYPES,
      'What happened: a change `…_INITIATED`, the bare name when it is done, `…_FAILED` when it was refused for good or superseded, `…_REORGED` when its block left the chain.',
    ),
    timestamp: unixSecondsField('When it happened.'),
    transaction: v.optional(Transaction),
    reason: v.optional(proseField('Why it failed, for people to read: only with `…_FAILED`.', 'superseded')),
  }),
  v.description(
    'A step in the life of a pass. `transaction` is missing until one has been sent, and for what came true without one of this service.',
  ),
);

export const PassRecord = v.pipe(
  v.object({
    id: passId,
    chain: Chain,
    gatekeeperNetwork: ownGatekeeperNetwork,
    walletAddress,
    events: v.pipe(
      v.array(PassEvent),
      v.minLength(1),
      v.maxLength(RECORD_MAX_EVENTS),
      v.description('What happened to the pass, in order: the first event and the newest 99.'),
    ),
    onChainState: extensibleEnum(
      ON_CHAIN_STATES,
      'What the chain is known to hold; `NONE`: no token. An expired token stays `ACTIVE`.',
      'ACTIVE',
    ),
    state: extensibleEnum(
      PASS_STATES,
      'What the pass should be. `REQUESTED`: to be `ACTIVE`, and not on chain yet. `FROZEN`: not valid until it is unfrozen. `REVOKED`: final, when you revoked it. `REJECTED`: the chain refused it for good; issuing again tries again. An expired pass stays `ACTIVE`.',
      'ACTIVE',
    ),
    expiryTimestamp: v.optional(
      unixSecondsField('When the pass is to expire; missing when it never does.', EXAMPLE.expiry),
    ),
  }),
  v.description('A pass: what it should be, what the chain holds, and what happened on the way.'),
);

export const UpdatedPass = v.pipe(
  v.intersect([
    PassRecord,
    v.object({
      status: v.pipe(
        v.literal('ok'),
        v.description('Always `ok`, for clients of the hosted service.'),
        v.examples(['ok']),
      ),
    }),
  ]),
  v.description('The pass as it is then.'),
);

export const FoundPasses = v.pipe(
  v.object({
    records: v.pipe(
      v.array(PassRecord),
      v.maxLength(100),
      v.description('At most `limit` passes, newest first. Fewer than `limit`: there are no more.'),
    ),
  }),
  v.description('What was found.'),
);

export const Health = v.pipe(
  v.object({
    status: v.pipe(
      v.literal('ok'),
      v.description('Always `ok`: what is wrong is answered with a problem.'),
      v.examples(['ok']),
    ),
  }),
  v.description('The service runs, and its configuration is right.'),
);

const url = (description: string, example: string) => stringField(description, example, { format: 'uri' });

export const ProtectedResource = v.pipe(
  v.object({
    resource: url('This service: origin and base path.', 'https://passes.example.org'),
    resource_name: proseField('Its name, for people.', 'Gatepass'),
    authorization_servers: v.pipe(
      v.array(url('An issuer, as tokens name it.', 'https://login.example.org/')),
      v.minLength(1),
      v.description('Issuers whose access tokens are taken.'),
    ),
    scopes_supported: v.pipe(
      v.array(stringField('A scope, as the issuer calls it.', 'search:pass', { minLength: 1 })),
      v.minLength(1),
      v.description('The scopes that the routes ask for.'),
    ),
    bearer_methods_supported: v.pipe(
      v.array(extensibleEnum(['header'], 'A way to send the token.')),
      v.minLength(1),
      v.description('How a token may be sent: in the header `Authorization` only.'),
    ),
  }),
  v.description('Metadata of a protected resource (RFC 9728).'),
);
