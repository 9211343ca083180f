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
 * The bodies of replies. Only the OpenAPI generator and the tests load them: the Worker checks no reply. Objects and lists of
 * values are open, so that a new field or value does not break generated clients.
 */

export const Transaction = v.pipe(
  v.object({
    identifier: stringField(
      'The hash of the transaction, or on Solana its signature in base58. It may change until `status` is `confirmed`.',
      '0x148c2f1f20a3b1de9f5a2f7cde87f1b1b1e54e7b4dbe8d5e9b6ac2f4c9c66163',
      { pattern: '^(0x[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{64,88})$' },
    ),
    status: extensibleEnum(
      TRANSACTION_STATUSES,
      '`sent`: in no block yet, or not deep enough. `confirmed`: in a block at the required depth, with the expected effect. `failed`: the transaction had no effect. After a reorg, `confirmed` may change to `sent` or `failed`.',
      'confirmed',
    ),
  }),
  v.description(
    'A transaction on the chain. It has the same status in all events that name it, so an earlier event may change.',
  ),
);

export const PassEvent = v.pipe(
  v.object({
    eventType: extensibleEnum(
      EVENT_TYPES,
      'The kind of event. `…_INITIATED`: a change begins. The bare name: the change is confirmed. `…_FAILED`: the change ended without effect. `…_REORGED`: the block of the confirmed change left the chain.',
    ),
    timestamp: unixSecondsField('The time of the event.'),
    transaction: v.optional(Transaction),
    reason: v.optional(proseField('The reason of the failure, for people. Only with `…_FAILED`.', 'superseded')),
  }),
  v.description(
    'An event in the life of a pass. `transaction` is absent until a transaction is sent, and if the change needed no transaction of this service.',
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
      v.description('The history of the pass, oldest first: the first event and the newest 99.'),
    ),
    onChainState: extensibleEnum(
      ON_CHAIN_STATES,
      'The state that the chain is known to hold. `NONE`: no token. An expired token stays `ACTIVE`.',
      'ACTIVE',
    ),
    state: extensibleEnum(
      PASS_STATES,
      'The state that you want. `REQUESTED`: the pass should be active, and is not on chain yet. `FROZEN`: not valid until it is unfrozen. `REVOKED`: final if you revoked it. `REJECTED`: the chain refused the issuance for good; POST tries it again. An expired pass stays `ACTIVE`.',
      'ACTIVE',
    ),
    expiryTimestamp: v.optional(
      unixSecondsField('The expiry that you want. Absent if the pass never expires.', EXAMPLE.expiry),
    ),
  }),
  v.description('A pass: the state that you want, the state on chain, and the history.'),
);

export const UpdatedPass = v.pipe(
  v.intersect([
    PassRecord,
    v.object({
      status: v.pipe(
        v.literal('ok'),
        v.description('Always `ok`. Clients of the hosted service read this field.'),
        v.examples(['ok']),
      ),
    }),
  ]),
  v.description('The record of the pass with `status`.'),
);

export const FoundPasses = v.pipe(
  v.object({
    records: v.pipe(
      v.array(PassRecord),
      v.maxLength(100),
      v.description('At most `limit` passes, newest first. If there are fewer than `limit`, this is the last page.'),
    ),
  }),
  v.description('A page of passes.'),
);

export const Health = v.pipe(
  v.object({
    status: v.pipe(
      v.literal('ok'),
      v.description('Always `ok`. A fault gives a problem document instead.'),
      v.examples(['ok']),
    ),
  }),
  v.description('The service runs, and its configuration is valid.'),
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
