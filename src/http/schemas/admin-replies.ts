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

/** The bodies of replies to the operator. Only the generator and tests load them. */

const why = proseField('Why, for people to read.', 'the signer does not answer');
const next = stringField('`after` of the request that goes on behind this answer.', EXAMPLE.position, {
  pattern: PATTERN.cursor,
});
const stepId = stringField('Id of the step: the id of its pass, a colon, and a number.', `${EXAMPLE.id}:1`, {
  pattern: '^[0-9a-f-]{36}:[0-9]+$',
});
const nextOrNull = v.pipe(
  v.nullable(next),
  v.description('`after` of the request that goes on behind this answer; null: that was all.'),
);

const Pause = v.pipe(
  v.object({
    why: proseField('What it waits for, for people to read.', 'the gatekeeper has no funds'),
    until: unixSecondsField('When it tries again.'),
  }),
  v.description('Nothing is sent until then.'),
);
const paused = v.pipe(v.nullable(Pause), v.description('Why and until when nothing is sent; null: it goes on.'));

const amount = (description: string, example: string) => stringField(description, example, { pattern: '^[0-9]+$' });

const Spending = v.pipe(
  v.object({
    spent: amount(
      'What the transactions of the day (UTC) have cost, or can cost while that is not known.',
      '41250000000000000',
    ),
    ceiling: amount('The daily ceiling. What would exceed it waits until midnight UTC.', '20000000000000000000'),
    reserve: amount('What revocations may spend beyond the ceiling.', '2000000000000000000'),
  }),
  v.description('In wei or lamports, as decimal numbers.'),
);

const Lane = v.pipe(
  v.object({
    gatekeeperNetwork,
    waiting: countField('Steps of the gatekeeper network that nothing is signed for yet.', 3),
    paused,
    spending: Spending,
  }),
  v.description('A gatekeeper network that has something waiting, has spent something today, or is paused.'),
);

const OldestPending = v.pipe(
  v.object({
    step: stepId,
    since: v.nullable(unixSecondsField('When it was signed first; null: not known.')),
    ageSeconds: v.nullable(countField('How long ago that was, in seconds; null: not known.', 42)),
    nonce: v.nullable(countField('Its nonce; null on Solana, which has none.', 1207)),
  }),
  v.description('The transaction that waits for a block since the longest time.'),
);

const InFlight = v.pipe(
  v.object({
    unsent: countField('Transactions that are signed and not sent yet.', 0),
    sent: countField('Transactions that are in no block yet.', 2),
    confirmed: countField('Transactions that are confirmed and not final yet.', 5),
  }),
  v.description('Transactions under way, by how far they are.'),
);

export const Signer = v.pipe(
  v.object({
    network: networkName,
    chain: chainName,
    address: stringField('Address of the gatekeeper key.', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', {
      pattern: PATTERN.wallet,
    }),
    retired: v.pipe(v.boolean(), annotate('It takes no new passes.', false)),
    compromised: v.pipe(
      v.boolean(),
      annotate('Somebody else has the key: it signs nothing, and other keys serve its passes.', false),
    ),
    balance: v.nullable(
      stringField(
        'What the key has, in wei or lamports, as a decimal number; null: the nodes do not say.',
        '998732000000000000',
        {
          pattern: '^[0-9]+$',
        },
      ),
    ),
    why: v.optional(why),
    nextNonce: v.optional(
      v.nullable(countField('The nonce of its next transaction; null on Solana, and while it is not known.', 1208)),
    ),
    waiting: v.optional(countField('Steps that nothing is signed for yet.', 3)),
    inFlight: v.optional(InFlight),
    oldestPending: v.optional(v.pipe(v.nullable(OldestPending), v.description('Null: none is pending.'))),
    paused: v.optional(paused),
    spending: v.optional(Spending),
    lanes: v.optional(
      v.pipe(
        v.array(Lane),
        v.description('Gatekeeper networks that have something waiting, have spent something today, or are paused.'),
      ),
    ),
  }),
  v.description('A gatekeeper key on a network. When its signer does not answer, all from `nextNonce` on is missing.'),
);

export const Signers = v.pipe(
  v.object({
    signers: v.pipe(v.array(Signer), v.description('Each key on each enabled network.')),
  }),
  v.description('How the signers stand.'),
);

export const StuckPass = v.pipe(
  v.object({
    pass: v.pipe(
      v.object({ id: passId, gatekeeperNetwork, chain: Chain, walletAddress }),
      v.description('Which pass it is.'),
    ),
    since: unixSecondsField('When its own alarm found it unsettled first.'),
    step: v.optional(
      v.pipe(
        v.object({
          id: stepId,
          kind: extensibleEnum(Object.keys(CHANGE_OF), 'What is to be done on the chain.'),
        }),
        v.description('The step that it waits for; missing when there is none.'),
      ),
    ),
    tries: v.optional(
      countField('How often its alarm rang since something last changed; missing when it cannot be reached.', 4),
    ),
    reason: proseField('What became of the last try, for people to read.', 'sent, and in no block yet'),
  }),
  v.description('A pass that is not settled, and why.'),
);

export const StuckPasses = v.pipe(
  v.object({
    stuck: v.pipe(
      v.array(StuckPass),
      v.maxLength(100),
      v.description('The oldest first; there may be fewer than `limit` though there are more.'),
    ),
    next: nextOrNull,
    unreadShards: v.optional(
      v.pipe(
        v.array(stringField('Name of a database.', 'DB_1', { minLength: 1 })),
        v.description('Databases that did not answer: their passes are missing. Absent if all answered.'),
      ),
    ),
  }),
  v.description('Passes that are not settled for so long.'),
);

export const Redriven = v.pipe(
  v.object({
    redriven: countField('How many passes or messages are tried again: at most 500.', 1),
    more: v.pipe(v.boolean(), annotate('There are others: ask again.', false)),
    next: v.optional(next),
  }),
  v.description('What is tried again.'),
);

export const Abandoned = v.pipe(
  v.object({
    abandoned: countField('How many issuances have ended: up to 500, or up to 50 per signer if that is more.', 500),
    signed: countField('How many issuances are left because a block may still include a transaction for them.', 2),
    more: v.pipe(v.boolean(), annotate('More issuances wait: send the request again.', true)),
  }),
  v.description('What the request has abandoned.'),
);

export const Withdrawn = v.pipe(
  v.object({
    withdrawn: countField('How many steps have ended: up to 500, or up to 50 per signer if that is more.', 120),
    signed: countField('How many steps are left because a block may still include a transaction for them.', 2),
    more: v.pipe(v.boolean(), annotate('More steps wait: send the request again.', false)),
  }),
  v.description('What the request has withdrawn.'),
);

export const DeadLetter = v.pipe(
  v.object({
    id: stringField('Id of the message.', EXAMPLE.letter, { minLength: 1 }),
    at: unixSecondsField('When it was given up.'),
    reason: proseField('Why, for people to read.', 'its pass object could not be reached'),
    body: v.pipe(
      v.unknown(),
      annotate('The message as it was sent, any JSON; null: it was too large to be kept, and cannot be sent again.', {
        kind: 'look',
      }),
    ),
  }),
  v.description('A message that the queue gave up.'),
);

export const DeadLetters = v.pipe(
  v.object({
    deadLetters: v.pipe(v.array(DeadLetter), v.maxLength(100), v.description('The newest first.')),
    next: nextOrNull,
  }),
  v.description('Messages that the queue gave up.'),
);
