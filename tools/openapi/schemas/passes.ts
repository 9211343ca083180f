import * as v from 'valibot';
import {
  PassFilter as FilterRules,
  gatekeeperNetwork,
  IssueBody,
  IssueItem as IssueItemRules,
  ItemsBody,
  SearchBody,
  UpdateBody,
  UpdateItem as UpdateItemRules,
} from '../../../src/http/schemas/requests.ts';
import { PARTNER_REASONS, QUEUE_MAX_STEPS } from '../../../src/pass/partner-reasons.ts';
import { RECORD_MAX_EVENTS } from '../../../src/pass/record.ts';
import { EVENT_TYPES, ON_CHAIN_STATES, PASS_STATES, TRANSACTION_STATUSES } from '../../../src/pass/vocabulary.ts';
import { describe, list, object } from '../describe.ts';
import {
  annotate,
  CHAIN_NAMES,
  chainName,
  contract,
  countField,
  EXAMPLE,
  extensibleEnum,
  NETWORK_NAMES,
  networkName,
  ownGatekeeperNetwork,
  PATTERN,
  passId,
  proseField,
  SUBJECT_TEXT,
  stringField,
  unixSecondsField,
  walletAddress,
} from '../fields.ts';
import { Problem } from './problem.ts';

/** Requests and replies about passes, and the names of their chains, networks and wallets. */

export const ChainName = v.pipe(v.string(), annotate('The type of the chain.', 'ethereum', { enum: CHAIN_NAMES }));

export const NetworkName = v.pipe(
  v.string(),
  annotate('The network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.', 'sepolia', {
    enum: NETWORK_NAMES,
  }),
);

export const Wallet = v.pipe(
  v.string(),
  annotate(
    'A wallet address. On Ethereum-type networks: `0x` and 40 hex digits, not all zero; mixed case needs a valid EIP-55 checksum. On Solana: base58 of 32 bytes.',
    EXAMPLE.ethereumWallet,
    {
      examples: [EXAMPLE.ethereumWallet, EXAMPLE.solanaWallet],
      pattern: PATTERN.wallet,
      // Not in the pattern, because regular expressions of some languages have no lookahead.
      not: { pattern: PATTERN.zeroAddress },
    },
  ),
);

export const GatekeeperNetworkKey = describe(
  gatekeeperNetwork,
  annotate('A gatekeeper network: base58 of 32 bytes.', EXAMPLE.gatekeeperNetwork),
);

const REFERENCE =
  'Your own name for the pass: 1 to 128 characters, counted as Unicode code points, without control characters, marks of the writing direction, and spaces at the ends. Do not use personal data: your own systems know whose the name is.';

export const IssueRequest = describe(
  IssueBody,
  'The wallet to issue a pass to, and the expiry, the reference and the subject of the pass.',
  {
    walletAddress: Wallet,
    expiryTimestamp: annotate(
      'The expiry in Unix seconds, in the future. It overrides the default lifetime of passes of the partner. If absent, a new gateway token gets the default lifetime, or never expires.',
      EXAMPLE.expiry,
    ),
    reference: annotate(REFERENCE, EXAMPLE.reference),
    subject: annotate(SUBJECT_TEXT, EXAMPLE.subject),
  },
);

export const UpdateRequest = describe(
  UpdateBody,
  'At least one of `state`, `expiryTimestamp`, `reference` and `subject`. A missing field keeps its value. `expiryTimestamp` cannot be combined with `REVOKED`.',
  {
    state: annotate(
      'The state that the pass should have. `ACTIVE` unfreezes a frozen pass. `REVOKED` is final.',
      'FROZEN',
    ),
    expiryTimestamp: annotate(
      'The new expiry in Unix seconds, in the future. An expiry cannot be removed.',
      EXAMPLE.expiry,
    ),
    reference: annotate(`${REFERENCE} \`null\` removes it. Allowed in every state of the pass.`, EXAMPLE.reference),
    subject: annotate(
      `${SUBJECT_TEXT} \`null\` removes it, also from all events. A pass that has another subject must lose that first.`,
      EXAMPLE.subject,
    ),
    reason: annotate(
      'Why, for the audit trail: at most 200 characters. Only with `FROZEN` or `REVOKED`. No dApp sees it.',
      'case 4711',
    ),
  },
);

const chainOfPass = object('The chain and the network of the pass.', { type: ChainName, network: NetworkName });

export const IssueItem = describe(
  IssueItemRules,
  'A wallet to issue a pass to, its chain, and the expiry, the reference and the subject of the pass.',
  {
    chain: chainOfPass,
    walletAddress: Wallet,
    expiryTimestamp: annotate('The expiry in Unix seconds, as in a single issuance.', EXAMPLE.expiry),
    reference: annotate('Your own name for the pass, as in a single issuance.', EXAMPLE.reference),
    subject: annotate('Your own name for the person, as in a single issuance.', EXAMPLE.subject),
  },
);

export const IssueManyRequest = describe(ItemsBody, 'The passes to issue, over any chains and networks.', {
  items: list('A bad item gets its own problem and stops no other item.', IssueItem),
});

export const UpdateItem = describe(
  UpdateItemRules,
  'A pass and its change: at least one of `state`, `expiryTimestamp`, `reference` and `subject`, as in a single PATCH.',
  {
    chain: chainOfPass,
    walletAddress: Wallet,
    state: annotate('The state that the pass should have.', 'FROZEN'),
    expiryTimestamp: annotate('The new expiry in Unix seconds.', EXAMPLE.expiry),
    reference: annotate('Your own name for the pass. `null` removes it.', EXAMPLE.reference),
    subject: annotate('Your own name for the person. `null` removes it.', EXAMPLE.subject),
    reason: annotate('Why, as in a single PATCH.', 'case 4711'),
  },
);

export const UpdateManyRequest = describe(ItemsBody, 'The passes to change, over any chains and networks.', {
  items: list('A bad item gets its own problem and stops no other item.', UpdateItem),
});

export const PassFilter = describe(
  FilterRules,
  'The conditions that the passes must meet. An empty filter matches all passes.',
  {
    state: annotate('Only passes with this `state`.', 'ACTIVE'),
    walletAddress: Wallet,
    chain: object('Only passes on this network. Both names are required.', { type: ChainName, network: NetworkName }),
    reference: annotate(
      'Only passes with exactly this reference. It cannot be combined with another field of the filter.',
      EXAMPLE.reference,
    ),
    subject: annotate(
      'Only passes with exactly this subject. It cannot be combined with another field of the filter.',
      EXAMPLE.subject,
    ),
    walletPrefix: annotate(
      'Only passes whose wallet begins with this text, in any case: at least six characters, after `0x` on Ethereum. Sorted by the wallet.',
      EXAMPLE.ethereumWallet.slice(0, 10),
    ),
    validity: annotate(
      'Only passes that are `valid` now, or that are not because they are `expired`. Sorted by `validUntil`, soonest first.',
      'expired',
    ),
    expiresBefore: annotate(
      'Only passes that are valid now, and no longer at this time, in Unix seconds. Sorted by `validUntil`, soonest first.',
      EXAMPLE.expiry,
    ),
  },
);

export const SearchRequest = describe(
  SearchBody,
  'A filter and a page. No body means `{}`: the newest passes without a filter.',
  {
    limit: annotate('The maximum number of passes in the response.', 20),
    skip: annotate(
      'The number of passes to leave out. It cannot be combined with `after`, which costs less and goes deeper.',
      0,
    ),
    after: annotate(
      '`next` of the previous page, or the id of a pass if the list is sorted by id: only passes that come after it. It cannot be combined with `skip`. It costs the same at any depth.',
      EXAMPLE.id,
    ),
    order: annotate(
      'Whether the newest or the oldest passes come first. It cannot be combined with `walletPrefix`, `validity` and `expiresBefore`.',
      'newest',
    ),
    count: annotate('`true` counts the passes of all pages, up to 1,000.', false),
    filter: PassFilter,
  },
);

export const Chain = v.pipe(
  v.object({ type: chainName, network: networkName }),
  v.description('The chain and its network.'),
);

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

export const ByOthers = v.pipe(
  v.object({
    gatekeeper: v.optional(
      stringField(
        'The gatekeeper that made the change, with its EIP-55 checksum, or on Solana the key. Absent if it is not known.',
        EXAMPLE.gatekeeper,
        { pattern: PATTERN.wallet },
      ),
    ),
  }),
  v.description('Says that the service did not make the change, and who made it.'),
);

export const PassEvent = v.pipe(
  v.object({
    eventType: extensibleEnum(
      EVENT_TYPES,
      'The kind of event. `…_INITIATED`: a change begins. The bare name: the change is confirmed. `…_FAILED`: the change ended without effect. `…_REORGED`: the block of the confirmed change left the chain. `REFERENCE_CHANGED`: the pass got another `reference`, or lost it. `SUBJECT_CHANGED`: the pass got a `subject`, or lost it.',
    ),
    timestamp: unixSecondsField('The time of the event.'),
    transaction: v.optional(Transaction),
    reason: v.optional(proseField('The reason of the failure, for people. Only with `…_FAILED`.', 'superseded')),
    requestId: v.optional(
      stringField(
        'The id of the request that caused the event. `GET /audit` says who sent it, and why. Absent if no request did: for a change by others, an expiry, and in events of earlier releases.',
        EXAMPLE.requestId,
        { format: 'uuid' },
      ),
    ),
    byOthers: v.optional(ByOthers),
  }),
  v.description(
    'An event in the life of a pass. With `byOthers`, others made the change, and `transaction` is theirs: it is absent if it is not known. Without `byOthers`, `transaction` is one of this service: it is absent until it is sent, and if the change needed none. An event of an earlier release lacks `byOthers` also if others made the change.',
  ),
);

export const WaitsFor = v.pipe(
  v.object({
    code: extensibleEnum(Object.keys(PARTNER_REASONS), 'The reason, for programs.'),
    detail: proseField('The reason, for people. It may change with a release.', PARTNER_REASONS.no_funds.text),
    before: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(0),
        v.maxValue(QUEUE_MAX_STEPS),
        annotate(
          'Only with `queue`: the number of changes of the gatekeeper network before it. The maximum means as many or more.',
          12,
        ),
      ),
    ),
  }),
  v.description(
    'Why the transaction of a change is not sent yet. Only in the response to GET of a pass, and to a request that has waited with `Prefer`. Absent if nothing waits, in the first seconds of a change, and while the reason is not known.',
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
    valid: v.pipe(
      v.boolean(),
      annotate(
        'Whether the pass is valid now, as `/verify` says it: wanted and on chain `ACTIVE`, not expired, and nobody is taking it away. Computed for each reply, never stored.',
        true,
      ),
    ),
    validUntil: v.optional(
      unixSecondsField(
        'The last second in which an active token is valid, also after it has passed. Absent: it never expires, or the token is not active.',
        EXAMPLE.expiry,
      ),
    ),
    waitsFor: v.optional(WaitsFor),
    contract,
    expiryTimestamp: v.optional(
      unixSecondsField('The expiry that you want. Absent if the pass never expires.', EXAMPLE.expiry),
    ),
    reference: v.optional(
      stringField('Your own name for the pass. Absent if it has none.', EXAMPLE.reference, {
        minLength: 1,
        maxLength: 128,
      }),
    ),
    subject: v.optional(
      stringField('Your own name for the person who has the wallet. Absent if it has none.', EXAMPLE.subject, {
        minLength: 1,
        maxLength: 64,
      }),
    ),
  }),
  v.description('A pass: the state that you want, the state on chain, and the history.'),
);

const { valid: _, validUntil: __, waitsFor: ___, ...stored } = PassRecord.entries;

/** The look-up of the operator shows why the pass is valid or not. */
export const StoredRecord = v.pipe(
  v.object(stored),
  v.description('The record of the pass, without its validity and the reason for which it waits.'),
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
      v.description('At most `limit` passes, newest first, unless the search has another order.'),
    ),
    next: v.optional(
      stringField('The place after this page: send it as `after`. Absent: no page follows.', EXAMPLE.id, {
        minLength: 1,
      }),
    ),
    count: v.optional(countField('The number of passes of all pages, if you asked for it.', 2)),
    countIsMinimum: v.optional(
      v.pipe(
        v.literal(true),
        annotate('There may be more passes than `count`: the service counts the first 1,000 rows.', true),
      ),
    ),
  }),
  v.description('A page of passes.'),
);

const status = (description: string, example: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599), annotate(description, example));

export const AcceptedItem = v.pipe(
  v.object({
    status: status('The status that the single request would get.', 202),
    settled: v.pipe(
      v.boolean(),
      annotate(
        'Whether nothing is left to do on chain. Otherwise an event of the feed shows the end of the change.',
        false,
      ),
    ),
    record: PassRecord,
  }),
  v.description('An accepted item.'),
);

export const RefusedItem = v.pipe(
  v.object({
    status: status('The status that the single request would get.', 409),
    problem: Problem,
    retryAfter: v.optional(countField('Seconds after which a retry makes sense, as in `Retry-After`.', 60)),
  }),
  v.description('A refused item. Pointers of its errors begin with `/items/` and its index.'),
);

export const ItemResults = v.pipe(
  v.object({
    results: v.pipe(
      v.array(v.union([AcceptedItem, RefusedItem])),
      v.minLength(1),
      v.maxLength(100),
      v.description(
        'The result of each item, in the order of the items. An item has either a `record` or a `problem`.',
      ),
    ),
  }),
  v.description('The results of a bulk request.'),
);
