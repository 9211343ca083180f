import * as v from 'valibot';
import { WAIT_REASONS } from '../../../src/pass/wait-reasons.ts';
import {
  annotate,
  chainName,
  countField,
  extensibleEnum,
  gatekeeperNetwork,
  networkName,
  PATTERN,
  proseField,
  stepId,
  stringField,
  unixSecondsField,
} from '../fields.ts';

/** Replies about signers. */

const why = proseField('The reason why the balance is unknown, for people.', 'the signer does not answer');

const Pause = v.pipe(
  v.object({
    code: extensibleEnum(Object.keys(WAIT_REASONS), 'The reason of the pause.'),
    why: proseField('The same as a sentence, for people.', 'the gatekeeper has no funds'),
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
    since: unixSecondsField('The time when it was first signed.'),
    ageSeconds: countField('The number of seconds since then.', 42),
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

const contractAddress = (description: string, example: string) =>
  stringField(description, example, { pattern: PATTERN.wallet });

const Contract = v.pipe(
  v.object({
    contract: contractAddress('The address of the contract.', '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E'),
    code: extensibleEnum(
      ['public-build', 'accepted', 'unknown', 'none'],
      'Whether the code is the public build, another one that `NETWORKS` accepts, unknown, or missing.',
    ),
    codeHash: v.nullable(
      stringField(
        'The hash of the code. `null`: no code exists there.',
        '0x9750f8d5da15f36ee7940d9910c068bd1093ed4e03f3fe729fbcc4ac5aa9e37b',
        { pattern: '^0x[0-9a-f]{64}$' },
      ),
    ),
    implementation: v.nullable(
      contractAddress(
        'The address of its implementation. `null`: it has none.',
        '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      ),
    ),
    superAdmins: v.pipe(
      v.array(contractAddress('An account.', '0x74489ac99AE3cE1428Ce8C8dBE374CFFc009081E')),
      v.description('The known accounts that can replace the code and add forwarders.'),
    ),
    forwarders: v.pipe(
      v.array(contractAddress('An account.', '0x8419F704CD6520E2C3EF477ef9BFA3159Ea1ACA7')),
      v.description('The known accounts that can act in the name of any account.'),
    ),
    confirmed: v.pipe(v.boolean(), annotate('Whether two endpoints show it.', true)),
    holdsSteps: v.pipe(v.boolean(), annotate('Whether steps that give access wait because of the code.', false)),
    changes: countField('The number of changes that the watcher has seen.', 0),
    changedAt: v.nullable(unixSecondsField('The time of the last change. `null`: the watcher has seen none.')),
    checkedAt: unixSecondsField('The time of the last check.'),
  }),
  v.description('A contract, and who controls it as the last check showed.'),
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
    emergency: v.optional(
      v.pipe(
        v.nullable(
          v.pipe(
            v.object({
              number: countField(
                'The number of the lists that it obeys. 0: no emergency has set any.',
                1_796_000_000_000,
              ),
              stopped: v.pipe(v.boolean(), annotate('Whether its key signs nothing.', false)),
            }),
            v.description('The emergency lists that the signer itself obeys.'),
          ),
        ),
        v.description(
          'The emergency lists that the signer itself obeys. `null`: it does not answer. Absent in the explanation of a pass.',
        ),
      ),
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
    passesLeft: v.optional(
      v.nullable(
        countField(
          'The number of issuances that the balance pays for, at their current maximum cost. `null`: the cost is unknown.',
          480,
        ),
      ),
    ),
    why: v.optional(why),
    nextNonce: v.optional(
      v.nullable(countField('The nonce of the next transaction. `null` on Solana, and while it is unknown.', 1208)),
    ),
    waiting: v.optional(countField('The number of unsigned steps.', 3)),
    waitingByRank: v.optional(
      v.pipe(
        v.array(countField('The number of unsigned steps of a rank.', 3)),
        v.description('The unsigned steps by rank: revoke and freeze, then single requests, then bulk issuances.'),
      ),
    ),
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
    contracts: v.optional(
      v.pipe(v.array(Contract), v.description('The contracts that the signer watches. Empty on Solana.')),
    ),
  }),
  v.description(
    'A gatekeeper key on a network. If its signer does not answer, `passesLeft` and the fields from `nextNonce` on are absent.',
  ),
);

export const Signers = v.pipe(
  v.object({
    signers: v.pipe(v.array(Signer), v.description('One entry for each enabled network and gatekeeper key.')),
    emergencyNumber: countField(
      'The number of the last emergency: Unix milliseconds that only grow. 0: there was none.',
      1_796_000_000_000,
    ),
    compromisedGatekeepers: v.pipe(
      v.array(contractAddress('The address of a key.', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8')),
      v.description('The keys that `COMPROMISED_GATEKEEPERS` names, also those of networks that are not enabled.'),
    ),
    suspendedClients: v.pipe(
      v.array(stringField('The id of an OAuth client.', 'acme')),
      v.description(
        'The clients that `SUSPENDED_CLIENTS` names. `GET /admin/partners` has those that the database names.',
      ),
    ),
  }),
  v.description('The signers and their work, and the lists that stop keys and clients without the database.'),
);
