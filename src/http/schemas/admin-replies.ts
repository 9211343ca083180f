import * as v from 'valibot';
import { CHANGE_OF } from '../../pass/step.ts';
import {
  annotate,
  Chain,
  chainName,
  countField,
  EXAMPLE,
  extensibleEnum,
  gatekeeperNetwork,
  networkName,
  PATTERN,
  passId,
  proseField,
  stringField,
  unixSecondsField,
  walletAddress,
} from './fields.ts';

/** The bodies of replies to the operator. Only the OpenAPI generator and the tests load them. */

const why = proseField('The reason why the balance is unknown, for people.', 'the signer does not answer');
const next = stringField('Send it as `after` of the next request to continue.', EXAMPLE.position, {
  pattern: PATTERN.cursor,
});
const stepId = stringField('The id of the step: the id of its pass, a colon and a number.', `${EXAMPLE.id}:1`, {
  pattern: '^[0-9a-f-]{36}:[0-9]+$',
});
const nextOrNull = v.pipe(
  v.nullable(next),
  v.description('Send it as `after` of the next request to continue. `null`: this is the last page.'),
);

const Pause = v.pipe(
  v.object({
    why: proseField('The reason of the pause, for people.', 'the gatekeeper has no funds'),
    until: unixSecondsField('The time of the next try.'),
  }),
  v.description('A pause, during which nothing is sent.'),
);
const paused = v.pipe(v.nullable(Pause), v.description('The pause that is in force. `null`: there is none.'));

const amount = (description: string, example: string) => stringField(description, example, { pattern: '^[0-9]+$' });

const Spending = v.pipe(
  v.object({
    spent: amount(
      'The cost of the transactions of today (UTC). A transaction counts with its highest possible cost until its final cost is known.',
      '41250000000000000',
    ),
    ceiling: amount('The daily ceiling. A step that would exceed it waits until midnight UTC.', '20000000000000000000'),
    reserve: amount('The amount that revocations may spend beyond the ceiling.', '2000000000000000000'),
  }),
  v.description('The spending of today, in wei or lamports, as decimal numbers.'),
);

const Lane = v.pipe(
  v.object({
    gatekeeperNetwork,
    waiting: countField('The number of unsigned steps of the gatekeeper network.', 3),
    paused,
    spending: Spending,
  }),
  v.description('A gatekeeper network that has waiting steps, has spent something today, or is paused.'),
);

const OldestPending = v.pipe(
  v.object({
    step: stepId,
    since: v.nullable(unixSecondsField('The time when it was first signed, or `null` if unknown.')),
    ageSeconds: v.nullable(countField('The number of seconds since then, or `null` if unknown.', 42)),
    nonce: v.nullable(countField('The nonce of the transaction. `null` on Solana, which has no nonces.', 1207)),
  }),
  v.description('The transaction that has waited longest for a block.'),
);

const InFlight = v.pipe(
  v.object({
    unsent: countField('The number of transactions that are signed and not sent yet.', 0),
    sent: countField('The number of transactions that are sent and in no block yet.', 2),
    confirmed: countField('The number of transactions that are confirmed and not final yet.', 5),
  }),
  v.description('The transactions in flight, by progress.'),
);

export const Signer = v.pipe(
  v.object({
    network: networkName,
    chain: chainName,
    address: stringField('The address of the gatekeeper key.', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', {
      pattern: PATTERN.wallet,
    }),
    retired: v.pipe(v.boolean(), annotate('Whether the key gets no new passes.', false)),
    compromised: v.pipe(
      v.boolean(),
      annotate('Whether somebody else has the key. It then signs nothing, and other keys serve its passes.', false),
    ),
    balance: v.nullable(
      stringField(
        'The funds of the key in wei or lamports, as a decimal number. `null`: unknown, for the reason in `why`.',
        '998732000000000000',
        {
          pattern: '^[0-9]+$',
        },
      ),
    ),
    why: v.optional(why),
    nextNonce: v.optional(
      v.nullable(countField('The nonce of the next transaction. `null` on Solana, and while it is unknown.', 1208)),
    ),
    waiting: v.optional(countField('The number of unsigned steps.', 3)),
    inFlight: v.optional(InFlight),
    oldestPending: v.optional(
      v.pipe(
        v.nullable(OldestPending),
        v.description('The transaction that has waited longest for a block. `null`: none is pending.'),
      ),
    ),
    paused: v.optional(paused),
    spending: v.optional(Spending),
    lanes: v.optional(
      v.pipe(
        v.array(Lane),
        v.description('The gatekeeper networks that have waiting steps, have spent something today, or are paused.'),
      ),
    ),
  }),
  v.description(
    'A gatekeeper key on a network. If its signer does not answer, the fields from `nextNonce` on are absent.',
  ),
);

export const Signers = v.pipe(
  v.object({
    signers: v.pipe(v.array(Signer), v.description('One entry for each enabled network and gatekeeper key.')),
  }),
  v.description('The signers and their work.'),
);

export const StuckPass = v.pipe(
  v.object({
    pass: v.pipe(v.object({ id: passId, gatekeeperNetwork, chain: Chain, walletAddress }), v.description('The pass.')),
    since: unixSecondsField('The time when the alarm of the pass first found it unsettled.'),
    step: v.optional(
      v.pipe(
        v.object({
          id: stepId,
          kind: extensibleEnum(Object.keys(CHANGE_OF), 'The change to make on chain.'),
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
    reason: proseField('The result of the last try, for people.', 'sent, and in no block yet'),
  }),
  v.description('A pass that is not settled, and the reason.'),
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
        kind: 'look',
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
