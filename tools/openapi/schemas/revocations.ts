import * as v from 'valibot';
import { ApprovalBody, FullNames, RevocationBody } from '../../../src/operator/requests.ts';
import { PASS_STATES } from '../../../src/pass/vocabulary.ts';
import { describe, list } from '../describe.ts';
import {
  APPROVAL_TEXT,
  annotate,
  countField,
  EXAMPLE,
  extensibleEnum,
  networkName,
  stringField,
  unixSecondsField,
} from '../fields.ts';
import { ChainName, NetworkName, Wallet } from './passes.ts';

/** Requests and replies about revocations by the operator, and about approvals by a second person. */

export const NamedPass = describe(FullNames, 'A pass, by its names.', {
  gatekeeperNetwork: annotate('The gatekeeper network: base58 of 32 bytes.', EXAMPLE.gatekeeperNetwork),
  chain: ChainName,
  network: NetworkName,
  walletAddress: Wallet,
});

export const RevocationRequest = describe(
  RevocationBody,
  'The passes to revoke: exactly one of `client`, `gatekeeperNetwork`, `passes` and `wallets`.',
  {
    client: annotate(
      'The passes that this OAuth client issued between `from` and `to`, as the audit trail has them.',
      'a-suspended-client',
      { minLength: 1 },
    ),
    from: annotate('The first second of the issuances, in Unix seconds.', 1_795_172_625),
    to: annotate('The last second of the issuances, in Unix seconds.', 1_795_176_225),
    gatekeeperNetwork: annotate('All passes of this gatekeeper network.', EXAMPLE.gatekeeperNetwork),
    passes: list('The passes. A wallet without a pass is counted and left alone.', NamedPass),
    wallets: list(
      'The wallets without a pass. Each gets a pass that revokes the tokens of the wallet. A wallet with a pass is left alone.',
      NamedPass,
    ),
    reason: annotate('The reason, for the audit trail.', 'stolen secret, ticket 4711'),
    dryRun: annotate('Whether to count the passes only.', true),
    after: annotate('Continues the revocation: the `next` of the previous response.', EXAMPLE.id),
    approval: APPROVAL_TEXT,
  },
);

export const Revoked = v.pipe(
  v.object({
    dryRun: v.pipe(v.boolean(), annotate('Whether the request has only counted.', false)),
    revoked: countField('The number of passes that the request revokes, or would revoke.', 198),
    alreadyRevoked: countField('The number of passes that were revoked before.', 2),
    skipped: countField(
      'The number of wallets that are left alone: without a pass in `passes`, with a pass that is not revoked in `wallets`.',
      0,
    ),
    failed: countField(
      'The number of passes that cannot be revoked now: their object does not answer, or no key serves the network. Send the request again.',
      0,
    ),
    passes: v.pipe(
      v.array(
        v.object({
          network: networkName,
          state: extensibleEnum(
            [...PASS_STATES, 'NONE'],
            'The state before the request. `NONE`: the wallet had no pass.',
            'ACTIVE',
          ),
          count: countField('The number of these passes.', 198),
        }),
      ),
      v.description('The passes by network and state.'),
    ),
    next: v.pipe(
      v.nullable(stringField('Where the revocation continues.', EXAMPLE.id, { minLength: 1 })),
      v.description('Send it as `after` of the same request to continue. `null`: the revocation is done.'),
    ),
  }),
  v.description('The result of a slice of a revocation.'),
);

const approvalId = stringField('The id of the approval.', EXAMPLE.requestId, { minLength: 1 });

export const WaitsForApproval = v.pipe(
  v.object({
    approval: v.pipe(
      v.object({
        id: approvalId,
        expires: unixSecondsField('The time when the approval ends.'),
        count: countField('The number of items that the action concerns.', 1200),
      }),
      v.description('The action that waits for a second person.'),
    ),
  }),
  v.description('The action has changed nothing yet: another person must confirm it.'),
);

const Person = (text: string) =>
  v.pipe(
    v.object({
      client: stringField('The OAuth client.', 'console', { minLength: 1 }),
      sub: v.optional(stringField('The person. Absent for a program.', 'ada', { minLength: 1 })),
    }),
    v.description(text),
  );

export const Approval = v.pipe(
  v.object({
    id: approvalId,
    action: stringField('The action, as the audit trail names it.', 'operator.revoke', { minLength: 1 }),
    request: v.pipe(
      v.record(v.string(), v.unknown()),
      annotate('The body of the request that asked. Send it with `approval` once it is confirmed.', {
        gatekeeperNetwork: EXAMPLE.gatekeeperNetwork,
        reason: 'stolen secret, ticket 4711',
      }),
    ),
    count: countField('The maximum number of items that are left to do.', 1200),
    askedBy: Person('The client or person that asked.'),
    askedAt: unixSecondsField('The time of the request. The action concerns nothing newer.'),
    expiresAt: unixSecondsField('The time when the approval ends.'),
    confirmedBy: v.optional(Person('The person that confirmed. Absent while the approval waits.')),
  }),
  v.description('An action that waits for a second person, or that one has confirmed.'),
);

export const Approvals = v.pipe(
  v.object({
    approvals: v.pipe(v.array(Approval), v.maxLength(100), v.description('The approvals, the oldest first.')),
  }),
  v.description('The approvals that wait or are confirmed.'),
);

export const ApprovalRequest = describe(ApprovalBody, 'The decision: exactly one of `confirm` and `reject`.', {
  confirm: annotate('The id of the approval to confirm.', EXAMPLE.requestId, { minLength: 1 }),
  reject: annotate('The id of the approval to reject.', EXAMPLE.requestId, { minLength: 1 }),
});

export const Decided = v.pipe(
  v.object({ confirmed: v.optional(Approval), rejected: v.optional(Approval) }),
  v.description('The approval, in the field of the decision.'),
);
