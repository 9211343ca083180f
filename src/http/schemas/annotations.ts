import { CHAINS, NETWORKS } from '../../network/networks.ts';
import { isGatekeeperNetwork } from '../../network/slot.ts';
import {
  hasClientOrNetwork,
  hasOneChoice,
  isCursor,
  isDigits,
  LIMIT_MAX,
  pagesOnlyWithAll,
  REDRIVE_CHOICES,
  STUCK_MAX_SECONDS,
  STUCK_SECONDS,
} from './admin-requests.ts';
import { EXAMPLE, type Keywords, PATTERN } from './fields.ts';
import { hasChange, hasOneStart, revokesWithoutExpiry } from './requests.ts';

/** Everything that the OpenAPI document says about requests beyond their rules. Only the generator and tests load it. */

const STUCK_FOR = 'For how long they have not been settled, in seconds.';

const limit: Keywords = {
  minimum: 1,
  maximum: LIMIT_MAX,
  description: 'How many at the most.',
  examples: [LIMIT_MAX],
};
const after: Keywords = {
  description: 'Goes on behind an answer: what it has as `next`.',
  examples: [EXAMPLE.position],
};

/**
 * JSON Schema keywords of each request schema and each of its fields, by the name of the schema, or of the operation for a
 * query, and the path of the field. The generator throws for a missing entry and for an unused one.
 */
export const ANNOTATIONS: Readonly<Record<string, Keywords>> = {
  ChainName: { description: 'Type of the chain.', examples: ['ethereum'], enum: CHAINS },
  NetworkName: {
    description: 'Network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.',
    examples: ['sepolia'],
    enum: NETWORKS.map(({ network }) => network),
  },
  Wallet: {
    description:
      'A wallet: on Ethereum-type networks `0x` and 40 hex digits, in mixed case only with a valid EIP-55 checksum, and not the zero address; on Solana base58 of 32 bytes.',
    examples: [EXAMPLE.ethereumWallet, EXAMPLE.solanaWallet],
    pattern: PATTERN.wallet,
    // Not in the pattern: regular expressions of some languages have no lookahead.
    not: { pattern: PATTERN.zeroAddress },
  },

  IssueRequest: { description: 'For which wallet a pass is to be issued.' },

  UpdateRequest: {
    description: '`state`, `expiryTimestamp` (not with `REVOKED`) or both; what is not there stays as it is.',
  },
  'UpdateRequest/state': {
    description: 'What the pass shall be: `ACTIVE` unfreezes it, `REVOKED` is final.',
    examples: ['FROZEN'],
  },
  'UpdateRequest/expiryTimestamp': {
    description: 'When the pass shall expire: Unix seconds, to come. An expiry cannot be taken away.',
    examples: [EXAMPLE.expiry],
  },

  PassFilter: { description: 'What the passes must have; nothing: all of them.' },
  'PassFilter/state': { description: 'The `state` of the passes.', examples: ['ACTIVE'] },

  SearchRequest: { description: 'Which passes, and how many. No body at all is `{}`.' },
  'SearchRequest/limit': { description: 'How many passes at the most.', examples: [20] },
  'SearchRequest/skip': {
    description: 'How many passes to leave out. Not with `after`, which costs less.',
    examples: [0],
  },
  'SearchRequest/after': {
    description: 'Id of the last pass you have: those behind it. Not with `skip`. Costs the same at any depth.',
    examples: [EXAMPLE.id],
  },

  RedriveRequest: { description: 'Exactly one of `pass`, `all`, `deadLetter` and `deadLetters`.' },
  'RedriveRequest/pass': { description: 'Which pass to try again.' },
  'RedriveRequest/pass/gatekeeperNetwork': {
    description: 'Its gatekeeper network: base58 of 32 bytes.',
    examples: [EXAMPLE.gatekeeperNetwork],
  },
  'RedriveRequest/all': {
    description: 'All that are not settled for longer than `olderThan`.',
    examples: ['stuck'],
  },
  'RedriveRequest/olderThan': {
    description: `${STUCK_FOR} Only with \`all\`; ${STUCK_SECONDS} when it is missing.`,
    examples: [STUCK_SECONDS],
  },
  'RedriveRequest/after': after,
  'RedriveRequest/deadLetter': {
    description: 'Id of the message to send again.',
    examples: [EXAMPLE.letter],
    minLength: 1,
  },
  'RedriveRequest/deadLetters': {
    description: 'All messages that were given up, the newest first.',
    examples: ['all'],
  },

  RebuildRequest: { description: 'A slice of the pass objects, for a shard.' },
  'RebuildRequest/shard': {
    description: 'Name of the database to rebuild, as it is bound.',
    examples: ['DB'],
    minLength: 1,
  },
  'RebuildRequest/objects': {
    description: 'Ids of pass objects, as the platform lists them.',
    examples: [[EXAMPLE.objectId]],
  },
  'RebuildRequest/start': {
    description: 'Whether to begin a new rebuild of the shard, which drops the counts of the earlier one.',
    examples: [true],
  },
  'RebuildRequest/position': {
    description:
      'Where the list of the objects continues once this slice is done; null: the rebuild is finished. Absent: earlier slices are still under way.',
    examples: ['4000'],
    minLength: 1,
  },

  AbandonRequest: { description: 'Where to abandon waiting issuances.' },
  'AbandonRequest/gatekeeperNetwork': {
    description: 'Only those of this gatekeeper network; if absent, those of all.',
    examples: [EXAMPLE.gatekeeperNetwork],
  },

  WithdrawRequest: { description: 'Whose unsigned steps to withdraw.' },
  'WithdrawRequest/client': {
    description: 'Id of the OAuth client that requested them.',
    examples: ['a-suspended-client'],
    minLength: 1,
  },
  'WithdrawRequest/gatekeeperNetwork': {
    description: 'The gatekeeper network that they are of.',
    examples: [EXAMPLE.gatekeeperNetwork],
  },

  AcceptRequest: { description: 'What to accept.' },
  'AcceptRequest/accept': { description: 'Where to accept that passes lost their token.' },
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
 * JSON Schema keywords of each check that a schema makes with a function of ours. The generator throws for a check without an
 * entry, so the document leaves no rule out.
 */
export const CHECKS: ReadonlyMap<unknown, Keywords> = new Map<unknown, Keywords>([
  [hasChange, { minProperties: 1 }],
  [revokesWithoutExpiry, notTogether({ state: { const: 'REVOKED' }, expiryTimestamp: {} })],
  [hasOneStart, notTogether({ skip: {}, after: {} })],
  // The text of a query, which the document shows as the number it stands for.
  [isDigits, { type: 'integer' }],
  [isGatekeeperNetwork, { pattern: PATTERN.base58Key }],
  [isCursor, { pattern: PATTERN.cursor }],
  [hasClientOrNetwork, { minProperties: 1 }],
  [hasOneChoice, { oneOf: REDRIVE_CHOICES.map((choice) => ({ required: [choice] })) }],
  [pagesOnlyWithAll, { dependentRequired: { olderThan: ['all'], after: ['all'] } }],
]);
