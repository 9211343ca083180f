import { CHAINS, NETWORKS } from '../../network/networks.ts';
import { isGatekeeperNetwork } from '../../network/slot.ts';
import { FEED_TYPES } from '../../pass/feed-types.ts';
import {
  hasClientOrNetwork,
  hasOneChoice,
  isCursor,
  LIMIT_MAX,
  pagesOnlyWithAll,
  REDRIVE_CHOICES,
  STUCK_MAX_SECONDS,
  STUCK_SECONDS,
} from './admin-requests.ts';
import { EXAMPLE, type Keywords, PATTERN } from './fields.ts';
import { areFeedTypes, hasChange, hasOneStart, isDigits, revokesWithoutExpiry } from './requests.ts';
import { WEBHOOK_ANNOTATIONS, WEBHOOK_CHECKS } from './webhook-annotations.ts';

/** Descriptions and examples of requests for the OpenAPI document. Only the generator and the tests load them. */

const STUCK_FOR = 'Only passes that have been unsettled for more than this many seconds.';

const limit: Keywords = {
  minimum: 1,
  maximum: LIMIT_MAX,
  description: 'The maximum number of entries in the response.',
  examples: [LIMIT_MAX],
};
const month: Keywords = {
  description: 'The month (UTC). If absent, the current one.',
  examples: ['2026-11'],
};
const PASS_CHAIN: Keywords = { description: 'The chain and the network of the pass.' };
const after: Keywords = {
  description: 'Continues the list: the `next` of the previous response.',
  examples: [EXAMPLE.position],
};

/**
 * JSON Schema keywords of each request schema and each of its fields. A key is the name of the schema, or of the operation for a
 * query, and then the path of the field. The generator throws for a missing entry and for an unused one.
 */
export const ANNOTATIONS: Readonly<Record<string, Keywords>> = {
  ChainName: { description: 'The type of the chain.', examples: ['ethereum'], enum: CHAINS },
  NetworkName: {
    description: 'The network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.',
    examples: ['sepolia'],
    enum: NETWORKS.map(({ network }) => network),
  },
  Wallet: {
    description:
      'A wallet address. On Ethereum-type networks: `0x` and 40 hex digits, not all zero; mixed case needs a valid EIP-55 checksum. On Solana: base58 of 32 bytes.',
    examples: [EXAMPLE.ethereumWallet, EXAMPLE.solanaWallet],
    pattern: PATTERN.wallet,
    // Not in the pattern, because regular expressions of some languages have no lookahead.
    not: { pattern: PATTERN.zeroAddress },
  },

  GatekeeperNetworkKey: {
    description: 'A gatekeeper network: base58 of 32 bytes.',
    examples: [EXAMPLE.gatekeeperNetwork],
  },

  IssueRequest: { description: 'The wallet to issue a pass to, and the expiry of the pass.' },
  'IssueRequest/expiryTimestamp': {
    description:
      'The expiry in Unix seconds, in the future. It overrides the default lifetime of passes of the partner. If absent, a new gateway token gets the default lifetime, or never expires.',
    examples: [EXAMPLE.expiry],
  },

  UpdateRequest: {
    description:
      '`state`, `expiryTimestamp` or both. A missing field keeps its value. `expiryTimestamp` cannot be combined with `REVOKED`.',
  },
  'UpdateRequest/state': {
    description: 'The state that the pass should have. `ACTIVE` unfreezes a frozen pass. `REVOKED` is final.',
    examples: ['FROZEN'],
  },
  'UpdateRequest/expiryTimestamp': {
    description: 'The new expiry in Unix seconds, in the future. An expiry cannot be removed.',
    examples: [EXAMPLE.expiry],
  },

  IssueItem: { description: 'A wallet to issue a pass to, its chain, and the expiry of the pass.' },
  'IssueItem/chain': PASS_CHAIN,
  'IssueItem/expiryTimestamp': {
    description: 'The expiry in Unix seconds, as in a single issuance.',
    examples: [EXAMPLE.expiry],
  },
  IssueManyRequest: { description: 'The passes to issue, over any chains and networks.' },
  'IssueManyRequest/items': { description: 'A bad item gets its own problem and stops no other item.' },

  UpdateItem: { description: 'A pass and its change: `state`, `expiryTimestamp` or both, as in a single PATCH.' },
  'UpdateItem/chain': PASS_CHAIN,
  'UpdateItem/state': { description: 'The state that the pass should have.', examples: ['FROZEN'] },
  'UpdateItem/expiryTimestamp': { description: 'The new expiry in Unix seconds.', examples: [EXAMPLE.expiry] },
  UpdateManyRequest: { description: 'The passes to change, over any chains and networks.' },
  'UpdateManyRequest/items': { description: 'A bad item gets its own problem and stops no other item.' },

  PassFilter: { description: 'The conditions that the passes must meet. An empty filter matches all passes.' },
  'PassFilter/chain': { description: 'Only passes on this network. Both names are required.' },
  'PassFilter/state': { description: 'Only passes with this `state`.', examples: ['ACTIVE'] },

  SearchRequest: { description: 'A filter and a page. No body means `{}`: the newest passes without a filter.' },
  'SearchRequest/limit': { description: 'The maximum number of passes in the response.', examples: [20] },
  'SearchRequest/skip': {
    description:
      'The number of passes to leave out. It cannot be combined with `after`, which costs less and goes deeper.',
    examples: [0],
  },
  'SearchRequest/after': {
    description:
      'An id: only passes that come after it in the list. It cannot be combined with `skip`. It costs the same at any depth.',
    examples: [EXAMPLE.id],
  },

  'listEvents/after': {
    description:
      'The last sequence that you have: the `next` of the previous response, or `newest` for the end of the feed. If absent, the feed starts with its oldest event. A page costs the same at any depth.',
    examples: ['48211'],
  },
  'listEvents/limit': {
    minimum: 1,
    maximum: 1_000,
    description: 'The maximum number of events in the response.',
    examples: [100],
  },
  'listEvents/type': {
    description:
      'Only events of these types, separated by commas, and the notice `feed.restored`. The service reads at most 1,000 events per request, so a page may be empty although `more` is true.',
    examples: [['pass.issued', 'pass.revoked']],
  },

  'getUsage/month': month,
  'listUsage/month': month,
  'listUsage/limit': { ...limit, description: 'The maximum number of gatekeeper networks in the response.' },
  'listUsage/after': {
    description: 'Continues the list: the `next` of the previous response.',
    examples: [EXAMPLE.gatekeeperNetwork],
  },

  ...WEBHOOK_ANNOTATIONS,

  RedriveRequest: { description: 'The work to retry: exactly one of `pass`, `all`, `deadLetter` and `deadLetters`.' },
  'RedriveRequest/pass': { description: 'The pass to retry.' },
  'RedriveRequest/pass/gatekeeperNetwork': {
    description: 'The gatekeeper network of the pass: base58 of 32 bytes.',
    examples: [EXAMPLE.gatekeeperNetwork],
  },
  'RedriveRequest/all': {
    description: 'Retries the passes that have been unsettled for more than `olderThan` seconds, oldest first.',
    examples: ['stuck'],
  },
  'RedriveRequest/olderThan': {
    description: `${STUCK_FOR} Only with \`all\`. The default is ${STUCK_SECONDS}.`,
    examples: [STUCK_SECONDS],
  },
  'RedriveRequest/after': after,
  'RedriveRequest/deadLetter': {
    description: 'The id of the dead letter to send again.',
    examples: [EXAMPLE.letter],
    minLength: 1,
  },
  'RedriveRequest/deadLetters': {
    description: 'Sends the dead letters again, newest first.',
    examples: ['all'],
  },

  RebuildRequest: { description: 'A slice of the pass objects, and the shard to rebuild.' },
  'RebuildRequest/shard': {
    description: 'The binding name of the database to rebuild.',
    examples: ['DB'],
    minLength: 1,
  },
  'RebuildRequest/objects': {
    description: 'The ids of pass objects, as the platform lists them.',
    examples: [[EXAMPLE.objectId]],
  },
  'RebuildRequest/start': {
    description: 'Whether to begin a new rebuild of the shard, which drops the counts of the earlier one.',
    examples: [true],
  },
  'RebuildRequest/position': {
    description:
      'The position at which the list of objects continues after this slice. `null`: the rebuild is finished. Absent: earlier slices are still under way.',
    examples: ['4000'],
    minLength: 1,
  },

  AbandonRequest: { description: 'The network whose waiting issuances to abandon.' },
  'AbandonRequest/gatekeeperNetwork': {
    description: 'Only issuances of this gatekeeper network. If absent, the issuances of all gatekeeper networks.',
    examples: [EXAMPLE.gatekeeperNetwork],
  },

  WithdrawRequest: {
    description:
      'The client or the gatekeeper network whose unsigned steps to withdraw. With both, only steps of the client in that gatekeeper network.',
  },
  'WithdrawRequest/client': {
    description: 'The id of the OAuth client that requested the steps.',
    examples: ['a-suspended-client'],
    minLength: 1,
  },
  'WithdrawRequest/gatekeeperNetwork': {
    description: 'The gatekeeper network of the steps.',
    examples: [EXAMPLE.gatekeeperNetwork],
  },

  AcceptRequest: { description: 'The losses to accept.' },
  'AcceptRequest/accept': { description: 'The gatekeeper network and the network where passes lost their token.' },
  'AcceptRequest/accept/gatekeeperNetwork': {
    description: 'The gatekeeper network: base58 of 32 bytes.',
    examples: [EXAMPLE.gatekeeperNetwork],
  },

  'listStuckPasses/olderThan': {
    minimum: 0,
    maximum: STUCK_MAX_SECONDS,
    description: STUCK_FOR,
    examples: [STUCK_SECONDS],
  },
  'listStuckPasses/limit': limit,
  'listStuckPasses/after': after,
  'listDeadLetters/limit': limit,
  'listDeadLetters/after': after,
};

const notTogether = (properties: Keywords) => ({ not: { properties, required: Object.keys(properties) } });

/**
 * JSON Schema keywords of each check that a schema makes with a function of this project. The generator throws for a check
 * without an entry, so the document omits no rule.
 */
export const CHECKS: ReadonlyMap<unknown, Keywords> = new Map<unknown, Keywords>([
  [hasChange, { minProperties: 1 }],
  [revokesWithoutExpiry, notTogether({ state: { const: 'REVOKED' }, expiryTimestamp: {} })],
  [hasOneStart, notTogether({ skip: {}, after: {} })],
  // The value of a query parameter is text. The document shows it as a number.
  [isDigits, { type: 'integer' }],
  ...WEBHOOK_CHECKS,
  // The document shows the list as an array, whose values the query separates by commas.
  [areFeedTypes, { type: 'array', items: { type: 'string', enum: FEED_TYPES }, minItems: 1 }],
  [isGatekeeperNetwork, { pattern: PATTERN.base58Key }],
  [isCursor, { pattern: PATTERN.cursor }],
  [hasClientOrNetwork, { minProperties: 1 }],
  [hasOneChoice, { oneOf: REDRIVE_CHOICES.map((choice) => ({ required: [choice] })) }],
  [pagesOnlyWithAll, { dependentRequired: { olderThan: ['all'], after: ['all'] } }],
]);
