import * as v from 'valibot';
import { isGatekeeperNetwork } from '../../network/slot.ts';
import { FEED_TYPES, type FeedType } from '../../pass/feed-types.ts';
import { MAX_TIMESTAMP, PASS_STATES, WANTED_STATES } from '../../pass/vocabulary.ts';

/**
 * The rules of request bodies and paths. `annotations.ts` describes each field. Unknown fields are refused, because an ignored
 * filter would return the wrong passes.
 */

// A function, so that each field is a separate object: the generator names schemas by identity.
const text = () => v.string('must be a string');

export const ChainName = text();
export const NetworkName = text();
export const Wallet = text();

export const gatekeeperNetwork = () =>
  v.pipe(text(), v.guard(isGatekeeperNetwork, 'must be base58 of 32 bytes, the first 24 not all zero'));

export const NetworkPath = v.strictObject({ chain: ChainName, chainNetwork: NetworkName });
export const WalletPath = v.strictObject({ chain: ChainName, chainNetwork: NetworkName, wallet: Wallet });
export const NoParams = v.strictObject({});

const integer = (minimum: number, maximum: number) =>
  v.pipe(
    v.number(`must be a whole number from ${minimum} to ${maximum}`),
    v.integer(`must be a whole number from ${minimum} to ${maximum}`),
    v.minValue(minimum, `must be at least ${minimum}`),
    v.maxValue(maximum, `must be at most ${maximum}`),
  );

export const expiryTimestamp = () => v.optional(integer(1, MAX_TIMESTAMP));

export const IssueBody = v.strictObject({ walletAddress: Wallet, expiryTimestamp: expiryTimestamp() });

export const UpdateFields = v.strictObject({
  state: v.optional(v.picklist(WANTED_STATES, `must be one of ${WANTED_STATES.join(', ')}`)),
  expiryTimestamp: expiryTimestamp(),
});
type Update = v.InferOutput<typeof UpdateFields>;

export const hasChange = ({ state, expiryTimestamp }: Update) => state !== undefined || expiryTimestamp !== undefined;
export const revokesWithoutExpiry = ({ state, expiryTimestamp }: Update) =>
  state !== 'REVOKED' || expiryTimestamp === undefined;

export const NO_CHANGE = 'must have state, expiryTimestamp or both';
export const REVOKES_WITH_EXPIRY = 'cannot be combined with the state REVOKED';

export const UpdateBody = v.pipe(
  UpdateFields,
  v.check(hasChange, NO_CHANGE),
  v.forward(v.check(revokesWithoutExpiry, REVOKES_WITH_EXPIRY), ['expiryTimestamp']),
);

export const PassFilter = v.strictObject({
  state: v.optional(v.picklist(PASS_STATES, `must be one of ${PASS_STATES.join(', ')}`)),
  walletAddress: v.optional(Wallet),
  chain: v.optional(v.strictObject({ type: ChainName, network: NetworkName })),
});

/** The database reads skipped rows too. `after` goes deeper for the price of a page. */
export const SKIP_MAX = 10_000;

const SearchFields = v.strictObject({
  limit: v.optional(integer(1, 100), 20),
  skip: v.optional(integer(0, SKIP_MAX)),
  after: v.optional(v.pipe(text(), v.uuid('must be the id of a pass'), v.toLowerCase())),
  filter: v.optional(PassFilter, {}),
});

export const hasOneStart = ({ skip, after }: v.InferOutput<typeof SearchFields>) =>
  skip === undefined || after === undefined;

export const SearchBody = v.pipe(
  SearchFields,
  v.forward(v.check(hasOneStart, 'cannot be combined with skip'), ['after']),
);

export const isDigits = (value: string) => /^\d{1,12}$/.test(value);

/** Parses a whole number in a query, where every value is text. */
export const queryInteger = (minimum: number, maximum: number) => {
  const range = `must be a whole number from ${minimum} to ${maximum}`;
  return v.pipe(
    v.string(range),
    v.check(isDigits, range),
    v.transform(Number),
    v.minValue(minimum, range),
    v.maxValue(maximum, range),
  );
};

const noSequence = 'must be a sequence, a whole number of at most 15 digits, or "newest"';

const typesIn = (list: string) => list.split(',') as FeedType[];
export const areFeedTypes = (list: string) => typesIn(list).every((type) => FEED_TYPES.includes(type));

export const EventsQuery = v.strictObject({
  after: v.optional(
    v.pipe(
      v.string(noSequence),
      v.regex(/^([0-9]{1,15}|newest)$/, noSequence),
      v.transform((text) => (text === 'newest' ? text : Number(text))),
    ),
  ),
  limit: v.optional(queryInteger(1, 1_000), '100'),
  type: v.optional(
    v.pipe(
      text(),
      v.check(areFeedTypes, `must be one or more of ${FEED_TYPES.join(', ')}, separated by commas`),
      v.transform(typesIn),
    ),
  ),
});
