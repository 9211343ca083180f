import * as v from 'valibot';
import type { Hex } from '../../lib/bytes.ts';
import { isVisibleText, VISIBLE_TEXT_RULE, withCharacter } from '../../lib/characters.ts';
import { DAY_SECONDS } from '../../lib/units.ts';
import { isGatekeeperNetwork } from '../../network/slot.ts';
import { BASE58_CHARACTER, canonicalWallet, walletFault } from '../../network/wallet.ts';
import { FEED_TYPES, type FeedType, MAX_TIMESTAMP, PASS_STATES, WANTED_STATES } from '../../pass/vocabulary.ts';

/** The fields that requests of several routes have. Unknown fields are refused: an ignored filter would return the wrong passes. */

export const text = v.string('must be a string');

const rangeOf = (minimum: number, maximum: number) => `must be a whole number from ${minimum} to ${maximum}`;

/** A whole number in a body. */
export function wholeNumber(minimum: number, maximum: number) {
  const range = rangeOf(minimum, maximum);
  return v.pipe(v.number(range), v.integer(range), v.minValue(minimum, range), v.maxValue(maximum, range));
}

export const isDigits = (value: string) => /^\d{1,12}$/.test(value);

/** A whole number in a query, where every value is text. */
function numberInQuery(minimum: number, maximum: number) {
  const range = rangeOf(minimum, maximum);
  return v.pipe(
    v.string(range),
    v.check(isDigits, range),
    v.transform(Number),
    v.minValue(minimum, range),
    v.maxValue(maximum, range),
  );
}

export const isChainId = (value: string) => /^[1-9]\d{0,15}$/.test(value) && Number.isSafeInteger(Number(value));
export const isContract = (value: string): value is Hex => canonicalWallet('ethereum', value) !== undefined;
export const Contract = v.pipe(
  text,
  v.guard(isContract, ({ input }) => walletFault('ethereum', input)),
);

/** A whole number in a query. If it is absent, it is `byDefault`. */
export function queryNumber(minimum: number, maximum: number, byDefault: number) {
  return v.optional(numberInQuery(minimum, maximum), String(byDefault));
}

export const gatekeeperNetwork = v.pipe(
  text,
  v.guard(isGatekeeperNetwork, ({ input }) =>
    withCharacter('must be base58 of 32 bytes, the first 24 not all zero', input, BASE58_CHARACTER),
  ),
);

export const ID = '[\\da-fA-F]{8}(-[\\da-fA-F]{4}){3}-[\\da-fA-F]{12}';

export const NoFields = v.strictObject({});

/** Maximum length of a text that one person writes and others read. */
const NOTE_MAX_CHARS = 200;

const noteLength = `must have 1 to ${NOTE_MAX_CHARS} characters`;
export const note = v.optional(
  v.pipe(
    text,
    v.minLength(1, noteLength),
    v.maxLength(NOTE_MAX_CHARS, noteLength),
    v.check(isVisibleText, VISIBLE_TEXT_RULE),
  ),
);

/** Why somebody requests a change. The audit trail shows it. */
export const reason = note;

/** The rules of requests about passes, events and the usage. */

export const NetworkPath = v.strictObject({ chain: text, chainNetwork: text });
export const WalletPath = v.strictObject({ chain: text, chainNetwork: text, wallet: text });

const expiryTimestamp = v.optional(wholeNumber(1, MAX_TIMESTAMP));

/** Counts characters as JSON Schema does: a letter outside the Basic Multilingual Plane is one. */
export const hasReferenceLength = (value: string) => /^(?!\s).{1,128}(?<!\s)$/su.test(value);

const reference = v.pipe(
  text,
  // A spreadsheet would lose the space.
  v.check(hasReferenceLength, 'must have 1 to 128 characters, and no space at its ends'),
  v.check(isVisibleText, VISIBLE_TEXT_RULE),
);

/** A URL parser removes dots, so no path can name these. */
export const UNNAMABLE_SUBJECTS = ['.', '..'];
export const isSubjectNamable = (value: string) => !UNNAMABLE_SUBJECTS.includes(value);

export const subject = v.pipe(
  text,
  v.regex(/^[!-~]{1,64}$/, 'must have 1 to 64 characters from ! to ~, which are the visible ones of ASCII'),
  v.check(isSubjectNamable, `must not be one of ${UNNAMABLE_SUBJECTS.join(' ')}`),
);

export const IssueBody = v.strictObject({
  walletAddress: text,
  expiryTimestamp,
  reference: v.optional(reference),
  subject: v.optional(subject),
});

export const UpdateFields = v.strictObject({
  state: v.optional(v.picklist(WANTED_STATES, `must be one of ${WANTED_STATES.join(', ')}`)),
  expiryTimestamp,
  reference: v.optional(v.nullable(reference)),
  subject: v.optional(v.nullable(subject)),
  reason,
});
type Update = v.InferOutput<typeof UpdateFields>;

export const hasChange = ({ state, expiryTimestamp, reference, subject }: Update) =>
  [state, expiryTimestamp, reference, subject].some((field) => field !== undefined);
export const revokesWithoutExpiry = ({ state, expiryTimestamp }: Update) =>
  state !== 'REVOKED' || expiryTimestamp === undefined;

export const givesReasonOfLoss = ({ state, reason }: Update) =>
  reason === undefined || state === 'FROZEN' || state === 'REVOKED';

const NO_CHANGE = 'must have state, expiryTimestamp, reference or subject';
const REVOKES_WITH_EXPIRY = 'cannot be combined with the state REVOKED';
const REASON_OF_LOSS = 'can only be combined with the state FROZEN or REVOKED';

export const UpdateBody = v.pipe(
  UpdateFields,
  v.check(hasChange, NO_CHANGE),
  v.forward(v.check(revokesWithoutExpiry, REVOKES_WITH_EXPIRY), ['expiryTimestamp']),
  v.forward(v.check(givesReasonOfLoss, REASON_OF_LOSS), ['reason']),
);

/** Ignores other parameters, as before the service knew this one. */
export const RevokeQuery = v.object({ reason });

const ITEMS_MAX = 100;

/** The items of a bulk request. Any value is valid, because the handler validates each item by itself. */
export const ItemsBody = v.strictObject({
  items: v.pipe(
    v.array(v.unknown(), 'must be a list of items'),
    v.minLength(1, 'must have at least one item'),
    v.maxLength(ITEMS_MAX, `must have at most ${ITEMS_MAX} items`),
  ),
});

const PASS_OF_ITEM = { chain: v.strictObject({ type: text, network: text }), walletAddress: text };

const { walletAddress: _, ...ISSUANCE } = IssueBody.entries;
export const IssueItem = v.strictObject({ ...PASS_OF_ITEM, ...ISSUANCE });

const UpdateItemFields = v.strictObject({ ...PASS_OF_ITEM, ...UpdateFields.entries });
type ItemUpdate = v.InferOutput<typeof UpdateItemFields>;

export const UpdateItem = v.pipe(
  UpdateItemFields,
  v.check<ItemUpdate, string>(hasChange, NO_CHANGE),
  v.forward(v.check<ItemUpdate, string>(revokesWithoutExpiry, REVOKES_WITH_EXPIRY), ['expiryTimestamp']),
  v.forward(v.check<ItemUpdate, string>(givesReasonOfLoss, REASON_OF_LOSS), ['reason']),
);

const FilterFields = v.strictObject({
  state: v.optional(v.picklist(PASS_STATES, `must be one of ${PASS_STATES.join(', ')}`)),
  walletAddress: v.optional(text),
  chain: v.optional(v.strictObject({ type: text, network: text })),
  reference: v.optional(reference),
  subject: v.optional(subject),
  walletPrefix: v.optional(
    v.pipe(
      text,
      v.regex(/^(0[xX][\da-fA-F]{6,40}|[1-9a-zA-Z]{6,44})$/, ({ input }) =>
        withCharacter(
          'must be the first letters and digits of a wallet, at least six, after 0x on Ethereum',
          input,
          /[0-9A-Za-z]/,
        ),
      ),
    ),
  ),
  validity: v.optional(v.picklist(['valid', 'expired'], 'must be one of valid, expired')),
  expiresBefore: v.optional(wholeNumber(1, MAX_TIMESTAMP)),
});
export type Filter = v.InferOutput<typeof FilterFields>;

/** Many passes may have the same reference, and no index has it together with another field. */
export const hasReferenceAlone = (filter: Filter) => filter.reference === undefined || Object.keys(filter).length === 1;

export const hasSubjectAlone = (filter: Filter) => filter.subject === undefined || Object.keys(filter).length === 1;

export const hasOneWallet = ({ walletPrefix, walletAddress }: Filter) =>
  walletPrefix === undefined || walletAddress === undefined;
export const expiresLater = ({ validity, expiresBefore }: Filter) =>
  validity !== 'expired' || expiresBefore === undefined;

export const PassFilter = v.pipe(
  FilterFields,
  v.forward(v.check(hasReferenceAlone, 'cannot be combined with other fields'), ['reference']),
  v.forward(v.check(hasSubjectAlone, 'cannot be combined with other fields'), ['subject']),
  v.forward(v.check(hasOneWallet, 'cannot be combined with walletAddress'), ['walletPrefix']),
  v.forward(v.check(expiresLater, 'finds passes that are still valid'), ['expiresBefore']),
);

/** The database reads skipped rows too. `after` goes deeper for the price of a page. */
const SKIP_MAX = 10_000;

/** A place in a list by id, by expiry, or by wallet: `searchPasses` of the store. */
const PLACE = new RegExp(`^((\\d{1,16}\\.)?${ID}|(\\w{1,64}\\.){3}\\w{1,64})$`);
export const NO_PLACE = 'must be the id of a pass, or next of a response to the same filter';

const SearchFields = v.strictObject({
  limit: v.optional(wholeNumber(1, 100), 20),
  skip: v.optional(wholeNumber(0, SKIP_MAX)),
  after: v.optional(
    v.pipe(
      text,
      v.regex(PLACE, ({ input }) => withCharacter(NO_PLACE, input, /[\w.-]/)),
    ),
  ),
  filter: v.optional(PassFilter, {}),
  order: v.optional(v.picklist(['newest', 'oldest'], 'must be one of newest, oldest')),
  count: v.optional(v.boolean('must be true or false')),
});
type Search = v.InferOutput<typeof SearchFields>;

/** The order of a search. Only passes that are sorted by their id can come newest or oldest first. */
export function orderOf({ walletPrefix, validity, expiresBefore }: Filter): 'id' | 'expiry' | 'wallet' {
  if (walletPrefix !== undefined) return 'wallet';
  return validity === undefined && expiresBefore === undefined ? 'id' : 'expiry';
}
export const isSortedById = ({ order, filter }: Search) => order === undefined || orderOf(filter) === 'id';

export const hasOneStart = ({ skip, after }: Search) => skip === undefined || after === undefined;

export const SearchBody = v.pipe(
  SearchFields,
  v.forward(v.check(hasOneStart, 'cannot be combined with skip'), ['after']),
  v.forward(v.check(isSortedById, 'cannot be combined with this filter, which has its own order'), ['order']),
);

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
  limit: queryNumber(1, 1_000, 100),
  type: v.optional(
    v.pipe(
      text,
      v.check(areFeedTypes, `must be one or more of ${FEED_TYPES.join(', ')}, separated by commas`),
      v.transform(typesIn),
    ),
  ),
});

const noMonth = 'must be a month, for example 2026-11';
export const month = v.optional(v.pipe(v.string(noMonth), v.regex(/^[0-9]{4}-(0[1-9]|1[0-2])$/, noMonth)));

const chainIdRule = rangeOf(1, Number.MAX_SAFE_INTEGER);

/**
 * The query of a public check: the greatest age of the answer in seconds, and the contract that asks for a signature. It ignores other
 * parameters, and without `signed` those of a signature too.
 */
export const VerifyQuery = v.object({
  maxAge: v.optional(numberInQuery(1, DAY_SECONDS)),
  signed: v.optional(v.literal('1', 'must be 1')),
  chainId: v.optional(v.pipe(text, v.check(isChainId, chainIdRule), v.transform(Number))),
  verifyingContract: v.optional(Contract),
});
export type VerifyQuery = v.InferOutput<typeof VerifyQuery>;

/** Whether to count the subjects too. */
export const subjects = v.optional(
  v.pipe(
    v.picklist(['true', 'false'], 'must be true or false'),
    v.transform((value) => value === 'true'),
  ),
);

export const UsageQuery = v.strictObject({ month, subjects });
