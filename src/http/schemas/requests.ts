import * as v from 'valibot';
import { CHAINS, NETWORKS } from '../../network/networks.ts';
import { MAX_TIMESTAMP, PASS_STATES, WANTED_STATES } from '../../pass/vocabulary.ts';
import { annotate, checkRule } from './annotations.ts';
import { EXAMPLE, WALLET } from './fields.ts';

/** The forms of what comes in. Unknown fields are refused: an ignored filter would return the wrong passes. */

const text = v.string('must be a string');

export const ChainName = v.pipe(text, annotate('Type of the chain.', 'ethereum', { enum: CHAINS }));
export const NetworkName = v.pipe(
  text,
  annotate('Network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.', 'sepolia', {
    enum: NETWORKS.map(({ network }) => network),
  }),
);
export const Wallet = v.pipe(
  text,
  annotate(
    'A wallet: on Ethereum-type networks `0x` and 40 hex digits, in mixed case only with a right EIP-55 checksum; on Solana base58 of 32 bytes.',
    EXAMPLE.ethereumWallet,
    { pattern: WALLET, examples: [EXAMPLE.ethereumWallet, EXAMPLE.solanaWallet] },
  ),
);

export const NetworkPath = v.strictObject({ chain: ChainName, chainNetwork: NetworkName });
export const WalletPath = v.strictObject({ chain: ChainName, chainNetwork: NetworkName, wallet: Wallet });
export const NoParams = v.strictObject({});

export const IssueBody = v.pipe(
  v.strictObject({ walletAddress: Wallet }),
  v.description('For which wallet a pass is to be issued.'),
);

const whole = (least: number, most: number, description: string, example: number) =>
  v.pipe(
    v.number(`must be a whole number from ${least} to ${most}`),
    v.integer(`must be a whole number from ${least} to ${most}`),
    v.minValue(least, `must be at least ${least}`),
    v.maxValue(most, `must be at most ${most}`),
    annotate(description, example),
  );

export const UpdateBody = v.pipe(
  v.strictObject({
    state: v.optional(
      v.pipe(
        v.picklist(WANTED_STATES, `must be one of ${WANTED_STATES.join(', ')}`),
        annotate('What the pass shall be: `ACTIVE` unfreezes it, `REVOKED` is final.', 'FROZEN'),
      ),
    ),
    expiryTimestamp: v.optional(
      whole(
        1,
        MAX_TIMESTAMP,
        'When the pass shall expire: Unix seconds, to come. An expiry cannot be taken away.',
        EXAMPLE.expiry,
      ),
    ),
  }),
  checkRule(
    ({ state, expiryTimestamp }) => state !== undefined || expiryTimestamp !== undefined,
    'must have state, expiryTimestamp or both',
    { minProperties: 1 },
  ),
  v.forward(
    checkRule(
      ({ state, expiryTimestamp }) => state !== 'REVOKED' || expiryTimestamp === undefined,
      'cannot be given together with the state REVOKED',
      {
        not: {
          properties: { state: { const: 'REVOKED' }, expiryTimestamp: {} },
          required: ['state', 'expiryTimestamp'],
        },
      },
    ),
    ['expiryTimestamp'],
  ),
  v.description('`state`, `expiryTimestamp` (not with `REVOKED`) or both; what is not there stays as it is.'),
);

export const PassFilter = v.pipe(
  v.strictObject({
    state: v.optional(
      v.pipe(
        v.picklist(PASS_STATES, `must be one of ${PASS_STATES.join(', ')}`),
        annotate('The `state` of the passes.', 'ACTIVE'),
      ),
    ),
    walletAddress: v.optional(Wallet),
  }),
  v.description('What the passes must have; nothing: all of them.'),
);

export const SearchBody = v.pipe(
  v.strictObject({
    limit: v.optional(whole(1, 100, 'How many passes at the most.', 20), 20),
    skip: v.optional(whole(0, 100_000, 'How many passes to leave out. Not with `after`, which costs less.', 0)),
    after: v.optional(
      v.pipe(
        text,
        v.uuid('must be the id of a pass'),
        v.toLowerCase(),
        annotate(
          'Id of the last pass you have: those behind it. Not with `skip`. Costs the same at any depth.',
          EXAMPLE.id,
        ),
      ),
    ),
    filter: v.optional(PassFilter, {}),
  }),
  v.forward(
    checkRule(({ skip, after }) => skip === undefined || after === undefined, 'cannot be given together with skip', {
      not: { properties: { skip: {}, after: {} }, required: ['skip', 'after'] },
    }),
    ['after'],
  ),
  v.description('Which passes, and how many. No body at all is `{}`.'),
);
