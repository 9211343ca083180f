import * as v from 'valibot';
import { CHAINS, NETWORKS, OWNERLESS_CONTRACT } from '../../src/network/networks.ts';
import { MAX_TIMESTAMP } from '../../src/pass/vocabulary.ts';

/** Builders of described fields, and the fields, examples and patterns that several schemas share. */

/** Keywords of JSON Schema 2020-12, and extensions, whose names begin with `x-`. */
export type Keywords = Readonly<Record<string, unknown>>;

/** The description of a schema, with examples and other keywords if it is not an object. */
export type Text = v.MetadataAction<unknown, Keywords> | v.DescriptionAction<unknown, string>;

export function annotate<Input>(
  description: string,
  example: unknown,
  keywords: Keywords = {},
): v.MetadataAction<Input, Record<string, unknown>> {
  return v.metadata({ description, examples: [example], ...keywords });
}

export const stringField = (description: string, example: string, keywords?: Keywords) =>
  v.pipe(v.string(), annotate(description, example, keywords));

/** A text for people. Programs may rely on its presence, but not on its words. */
export const proseField = (description: string, example: string) => stringField(description, example, { minLength: 1 });

/** A value of a list that may grow. The type stays open, because clients must tolerate values that they do not know. */
export const extensibleEnum = (words: readonly string[], description: string, example = words[0]) =>
  v.pipe(v.string(), annotate(description, example, { 'x-extensible-enum': words }));

export const countField = (description: string, example: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(0), annotate(description, example));

export const unixSecondsField = (description: string, example = 1_795_172_625) =>
  v.pipe(
    v.number(),
    v.integer(),
    v.minValue(0),
    v.maxValue(MAX_TIMESTAMP),
    annotate(`${description} In Unix seconds.`, example),
  );

export const EXAMPLE = {
  id: '01a1f8a0-6cfb-7613-a30a-0ccef041f58c',
  gatekeeper: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  gatekeeperNetwork: 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf',
  ethereumWallet: '0x52908400098527886E0F7030069857D2E4169EE7',
  program: 'gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs',
  solanaWallet: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
  /** The start of 2040: in the future for a reader who tries an example, and larger than 32 bits. */
  expiry: 2_208_988_800,
  verdictKey: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  /** A contract that asks for a signed verdict. */
  askingContract: '0xbD2aAF5cbB58AB5Cd6aAB72Fa1BA2FBB0Fb0E1C4',
  signature: `0x${'5b'.repeat(64)}1b`,
  /** `after` and `next` of the lists in the admin API. */
  position: '1795172625:01a1f8a0-6cfb-7613-a30a-0ccef041f58c',
  webhookId: '01a1f8a1-3b7e-7c41-9d52-6e0a8f4b2c17',
  /** A partner's own name for a pass. */
  reference: 'order-4711',
  /** A partner's own name for a person. */
  subject: 'p-7f3c9a51e2',
  requestId: '5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11',
  /** Id of an OAuth client. It is no partner of the localnet, because a reader who tries an example must not change one. */
  client: 'stark',
  clientCursor: 'c.c3Rhcms',
  clientGatekeeperNetwork: '9WmQXZShQGbxuD4gbVEgL5spYPYByUTCzjRubHcNR29Z',
  /** Id of a queue message. */
  letter: '8f14e45fceea167a5a36dedd4bea2543',
  /** Id of a Durable Object. */
  objectId: '3fd2a8c1b6e94f07a5d1c38e72b4906fd8e1a37c5b2f4e60918d7c3a5f6b2e14',
} as const;

/** The text of the field with the subject. */
export const SUBJECT_TEXT =
  'Your own name for the person who has the wallet, the same for all wallets of the person: 1 to 64 visible ASCII characters, except `.` and `..`. Make it random, or compute it with a secret key. Never use personal data.';

/** The text of the field with the reason of an action. */
export const REASON_TEXT = annotate('The reason, for the audit trail: at most 200 characters.', 'case 4711');

/** The text of the field with which a list of the operator continues. */
export const AFTER_TEXT = annotate('Continues the list: the `next` of the previous response.', EXAMPLE.position);

export const APPROVAL_TEXT = annotate(
  'The id of the confirmed approval of this request. The other fields must be those of the request that asked for it.',
  EXAMPLE.requestId,
  { minLength: 1 },
);

const BASE58_KEY = '[1-9A-HJ-NP-Za-km-z]{32,44}';

export const PATTERN = {
  objectId: '^[0-9a-f]{64}$',
  base58Key: `^${BASE58_KEY}$`,
  /** The form that `parseCursor` reads. */
  cursor: '^[0-9]{1,12}:[A-Za-z0-9_-]{1,100}$',
  eventId: '^([0-9a-f-]{36}|restored|deleted)\\.[0-9]+$',
  /** Without the characters that `isVisibleText` refuses. */
  visibleText: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]*$',
  wallet: `^(0x[0-9a-fA-F]{40}|${BASE58_KEY})$`,
  zeroAddress: '^0x0{40}$',
} as const;

export const passId = stringField('The id of the pass: a UUIDv7. Ids sort by the time of creation.', EXAMPLE.id, {
  format: 'uuid',
});

const networkField = (description: string) => stringField(description, EXAMPLE.gatekeeperNetwork, { minLength: 1 });
export const ownGatekeeperNetwork = networkField('Your gatekeeper network: base58 of 32 bytes.');
export const gatekeeperNetwork = networkField('A gatekeeper network: base58 of 32 bytes.');

export const walletAddress = stringField(
  'The wallet in its canonical form: an Ethereum address with its EIP-55 checksum, or on Solana base58 of 32 bytes.',
  EXAMPLE.ethereumWallet,
  { pattern: PATTERN.wallet, examples: [EXAMPLE.ethereumWallet, EXAMPLE.solanaWallet] },
);

export const contract = stringField(
  'The contract that has the gateway token, with its EIP-55 checksum, or on Solana the gateway program. It does not change.',
  OWNERLESS_CONTRACT,
  { pattern: PATTERN.wallet, examples: [OWNERLESS_CONTRACT, EXAMPLE.program] },
);

const USUAL_NAMES: readonly unknown[] = ['ethereum', 'sepolia'];

/** Returns the list with the names of the examples first. Importers send the first value of a list, whatever the example says. */
export const usualFirst = <T>(names: readonly T[]): T[] =>
  names.toSorted((one, other) => Number(USUAL_NAMES.includes(other)) - Number(USUAL_NAMES.includes(one)));

export const CHAIN_NAMES = usualFirst(CHAINS);
export const NETWORK_NAMES = usualFirst(NETWORKS.map(({ network }) => network));
export const chainName = extensibleEnum(CHAIN_NAMES, 'The type of the chain.', 'ethereum');
export const networkName = extensibleEnum(NETWORK_NAMES, 'The network of the chain.', 'sepolia');

export const stepId = stringField('The id of the step: the id of its pass, a colon and a number.', `${EXAMPLE.id}:1`, {
  pattern: '^[0-9a-f-]{36}:[0-9]+$',
});
