import * as v from 'valibot';
import { AbandonBody, RedriveBody, STUCK_SECONDS, WithdrawBody } from '../../../src/operator/requests.ts';
import { STEP_KINDS } from '../../../src/pass/step-kinds.ts';
import { ENDS, PROGRESS, WAIT_REASONS } from '../../../src/pass/wait-reasons.ts';
import { describe, object } from '../describe.ts';
import {
  AFTER_TEXT,
  APPROVAL_TEXT,
  annotate,
  countField,
  EXAMPLE,
  extensibleEnum,
  gatekeeperNetwork,
  PATTERN,
  passId,
  proseField,
  REASON_TEXT,
  stepId,
  stringField,
  unixSecondsField,
  walletAddress,
} from '../fields.ts';
import { Chain, ChainName, NetworkName, StoredRecord, Wallet } from './passes.ts';
import { Signer } from './signers.ts';

/** Requests and replies about stuck passes, waiting steps and dead letters. */

export const RedriveRequest = describe(
  RedriveBody,
  'The work to retry: exactly one of `pass`, `all`, `deadLetter` and `deadLetters`.',
  {
    pass: object('The pass to retry.', {
      gatekeeperNetwork: annotate('The gatekeeper network of the pass: base58 of 32 bytes.', EXAMPLE.gatekeeperNetwork),
      chain: ChainName,
      network: NetworkName,
      walletAddress: Wallet,
    }),
    all: annotate(
      'Retries the passes that have been unsettled for more than `olderThan` seconds, oldest first.',
      'stuck',
    ),
    olderThan: annotate(
      `Only passes that have been unsettled for more than this many seconds. Only with \`all\`. The default is ${STUCK_SECONDS}.`,
      STUCK_SECONDS,
    ),
    after: AFTER_TEXT,
    deadLetter: annotate('The id of the dead letter to send again.', EXAMPLE.letter, { minLength: 1 }),
    deadLetters: annotate('Sends the dead letters again, newest first.', 'all'),
    reason: REASON_TEXT,
  },
);

export const AbandonRequest = describe(AbandonBody, 'The network whose waiting issuances to abandon.', {
  chain: ChainName,
  network: NetworkName,
  gatekeeperNetwork: annotate(
    'Only issuances of this gatekeeper network. If absent, the issuances of all gatekeeper networks.',
    EXAMPLE.gatekeeperNetwork,
  ),
  approval: APPROVAL_TEXT,
  reason: REASON_TEXT,
});

export const WithdrawRequest = describe(
  WithdrawBody,
  'The client or the gatekeeper network whose unsigned steps to withdraw. With both, only steps of the client in that gatekeeper network.',
  {
    client: annotate('The id of the OAuth client that requested the steps.', 'a-suspended-client', { minLength: 1 }),
    gatekeeperNetwork: annotate('The gatekeeper network of the steps.', EXAMPLE.gatekeeperNetwork),
    approval: APPROVAL_TEXT,
    reason: REASON_TEXT,
  },
);

const next = stringField('Send it as `after` of the next request to continue.', EXAMPLE.position, {
  pattern: PATTERN.cursor,
});
const nextOrNull = v.pipe(
  v.nullable(next),
  v.description('Send it as `after` of the next request to continue. `null`: this is the last page.'),
);

const remedy = proseField(
  'The remedy, for people. The runbook has the same sentence.',
  'Send funds to the address of the signer (runbook: A key has no funds).',
);

export const StuckPass = v.pipe(
  v.object({
    pass: v.pipe(v.object({ id: passId, gatekeeperNetwork, chain: Chain, walletAddress }), v.description('The pass.')),
    since: unixSecondsField('The time when the alarm of the pass first found it unsettled.'),
    step: v.optional(
      v.pipe(
        v.object({
          id: stepId,
          kind: extensibleEnum(Object.keys(STEP_KINDS), 'The change to make on chain.'),
        }),
        v.description('The step that the pass waits for. Absent if there is none.'),
      ),
    ),
    tries: v.optional(
      countField(
        'How often the alarm of the pass has run since something last changed. Absent if the pass object cannot be reached.',
        4,
      ),
    ),
    code: extensibleEnum([...Object.keys(PROGRESS), ...Object.keys(WAIT_REASONS)], 'Why the pass is not settled.'),
    reason: proseField('The same as a sentence, for people.', 'sent, and in no block yet'),
    remedy,
  }),
  v.description('A pass that is not settled, and the reason.'),
);

export const ExplainedPass = v.pipe(
  v.object({
    pass: v.pipe(
      v.object({ id: v.optional(passId), gatekeeperNetwork, chain: Chain, walletAddress }),
      v.description('The pass. `id` is absent if neither its object nor a database answers.'),
    ),
    code: extensibleEnum(
      [...Object.keys(ENDS), ...Object.keys(PROGRESS), ...Object.keys(WAIT_REASONS)],
      'Why the pass is ACTIVE or not.',
      'no-funds',
    ),
    reason: proseField('The same as a sentence, for people.', 'the gatekeeper has no funds'),
    remedy,
    record: v.optional(StoredRecord),
    readModel: extensibleEnum(
      ['current', 'behind', 'missing', 'unread'],
      'Whether the database shows the newest version: partners read it there. `unread`: a database does not answer.',
    ),
    step: v.optional(
      v.pipe(
        v.object({ id: stepId, kind: extensibleEnum(Object.keys(STEP_KINDS), 'The change to make on chain.') }),
        v.description('The step that the pass waits for. Absent if there is none.'),
      ),
    ),
    tries: v.optional(countField('How often the alarm of the pass has run since something last changed.', 4)),
    signerName: v.optional(
      stringField(
        'The signer of the pass: chain, network and address.',
        'ethereum/sepolia/0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        { minLength: 1 },
      ),
    ),
    signer: v.pipe(
      v.nullable(Signer),
      v.description(
        'The signer as `GET /admin/signers` shows it. `null`: it is not configured, or the pass object does not answer.',
      ),
    ),
    node: v.pipe(
      v.nullable(
        v.object({
          answers: v.pipe(v.boolean(), annotate('Whether a node of the network answers.', true)),
          why: v.optional(proseField('Why not, for people.', 'the nodes do not answer')),
        }),
      ),
      v.description('The nodes of the network. `null`: the signer does not answer.'),
    ),
  }),
  v.description('A pass, and why it is ACTIVE or not.'),
);

export const ExplainedPasses = v.pipe(
  v.object({
    passes: v.pipe(v.array(ExplainedPass), v.description('The passes of the wallet, one for each gatekeeper network.')),
    unreadShards: v.optional(
      v.pipe(
        v.array(stringField('The binding name of a database.', 'DB_1', { minLength: 1 })),
        v.description('The databases that did not answer, so passes may be missing. Absent if all answered.'),
      ),
    ),
  }),
  v.description('The passes of a wallet on a network.'),
);

export const StuckPasses = v.pipe(
  v.object({
    stuck: v.pipe(
      v.array(StuckPass),
      v.maxLength(100),
      v.description(
        'The unsettled passes, oldest first. A page may have fewer than `limit` entries although more follow.',
      ),
    ),
    next: nextOrNull,
    unreadShards: v.optional(
      v.pipe(
        v.array(stringField('The binding name of a database.', 'DB_1', { minLength: 1 })),
        v.description('The databases that did not answer, so their passes are missing. Absent if all answered.'),
      ),
    ),
  }),
  v.description('A page of the unsettled passes.'),
);

export const Redriven = v.pipe(
  v.object({
    redriven: countField('The number of passes or messages that the request retries, at most 500.', 1),
    more: v.pipe(v.boolean(), annotate('Whether there are more. If so, send the request again.', false)),
    next: v.optional(next),
  }),
  v.description('The result of a redrive.'),
);

export const Abandoned = v.pipe(
  v.object({
    abandoned: countField(
      'The number of issuances that have ended: up to 500, or up to 50 per signer if that is more.',
      500,
    ),
    signed: countField(
      'The number of issuances that are left, because a block may still include a transaction for them.',
      2,
    ),
    more: v.pipe(v.boolean(), annotate('Whether more issuances wait. If so, send the request again.', true)),
  }),
  v.description('The result of abandoning issuances.'),
);

export const Withdrawn = v.pipe(
  v.object({
    withdrawn: countField(
      'The number of steps that have ended: up to 500, or up to 50 per signer if that is more.',
      120,
    ),
    signed: countField(
      'The number of steps that are left, because a block may still include a transaction for them.',
      2,
    ),
    more: v.pipe(v.boolean(), annotate('Whether more steps wait. If so, send the request again.', false)),
  }),
  v.description('The result of withdrawing steps.'),
);

export const DeadLetter = v.pipe(
  v.object({
    id: stringField('The id of the message.', EXAMPLE.letter, { minLength: 1 }),
    at: unixSecondsField('The time when the queue gave up the message.'),
    reason: proseField('The reason, for people.', 'its pass object could not be reached'),
    body: v.pipe(
      v.unknown(),
      annotate('The message as it was sent: any JSON. `null`: it was too large to keep, and cannot be sent again.', {
        kind: 'process-pass',
      }),
    ),
  }),
  v.description('A message that the queue gave up.'),
);

export const DeadLetters = v.pipe(
  v.object({
    deadLetters: v.pipe(v.array(DeadLetter), v.maxLength(100), v.description('The dead letters, newest first.')),
    next: nextOrNull,
  }),
  v.description('A page of the messages that the queue gave up.'),
);
