import * as v from 'valibot';
import { isShardName } from '../config/bindings.ts';
import { CLIENT_ID, PERSON_CLAIM_MAX_CHARS } from '../config/token-rules.ts';
import { RULE_FIELDS } from '../http/schemas/managing.ts';
import { Contract, gatekeeperNetwork, queryNumber, reason, text, wholeNumber } from '../http/schemas/requests.ts';
import { decodeBase64Url, encodeBase64Url } from '../lib/bytes.ts';
import { isVisibleText, VISIBLE_TEXT_RULE } from '../lib/characters.ts';
import { DAY_SECONDS } from '../lib/units.ts';
import { findNetwork, NETWORKS, networkNamesOf } from '../network/networks.ts';
import { isSandbox, rulesFor } from '../network/sandbox.ts';
import { derivesSmallSlot } from '../network/slot.ts';
import { canonicalWallet } from '../network/wallet.ts';
import { approval } from './requests.ts';

/** The rules of a partner: for the operator's routes, and for the options and the files of `npm run partner`. */

/** Maximum quota. One object counts a day's issuances and changes, and stores about 150 bytes for each of them. */
export const DAILY_MAX = 5_000_000;
/** A hundred years. */
export const LIFETIME_MAX_SECONDS = 100 * 365 * DAY_SECONDS;
const NAME_MAX_CHARS = 200;

export const hasContent = (value: string) => value.trim() !== '';
const visibleText = v.pipe(text, v.check(hasContent, 'must not be empty'), v.check(isVisibleText, VISIBLE_TEXT_RULE));

/** A client id that no token can contain is refused, because that partner could never call the API. */
const AnyClientId = v.pipe(
  text,
  v.check(hasContent, 'must not be empty'),
  v.regex(CLIENT_ID, 'must be printable ASCII of at most 256 characters'),
);

/** Ids that no path can name: a URL parser removes dots, and `GET /admin/partners/export` is another route. */
export const UNNAMABLE_CLIENTS = ['.', '..', 'export'];
export const isNamable = (id: string) => !UNNAMABLE_CLIENTS.includes(id);
export const noSpaceAtEnds = (value: string) => value.trim() === value;

const networkNames = NETWORKS.map(({ network }) => network);
const networkRule = `must be a list of one or more of ${networkNames.join(', ')}`;

/** A rule for each field of a partner. */
export const PARTNER_RULES = {
  clientId: v.pipe(AnyClientId, v.check(isNamable, `must not be one of ${UNNAMABLE_CLIENTS.join(' ')}`)),
  name: v.pipe(visibleText, v.maxLength(NAME_MAX_CHARS, `must have at most ${NAME_MAX_CHARS} characters`)),
  gatekeeperNetwork,
  shard: v.pipe(text, v.check(isShardName, 'must be DB or like DB_1')),
  contract: v.pipe(
    Contract,
    v.transform((address) => canonicalWallet('ethereum', address) as string),
  ),
  networks: v.pipe(
    v.array(v.picklist(networkNames, networkRule), networkRule),
    v.minLength(1, networkRule),
    v.transform((names) => [...new Set(names)]),
  ),
  passLifetime: wholeNumber(1, LIFETIME_MAX_SECONDS),
  dailyIssuances: wholeNumber(0, DAILY_MAX),
  dailyChanges: wholeNumber(0, DAILY_MAX),
  organization: v.pipe(
    visibleText,
    v.maxLength(PERSON_CLAIM_MAX_CHARS, `must have at most ${PERSON_CLAIM_MAX_CHARS} characters`),
    v.check(noSpaceAtEnds, 'must have no space at its ends'),
  ),
  reason: reason.wrapped,
} as const;

const { clientId, name, shard, contract } = PARTNER_RULES;
export const CONTRACT_NETWORKS = networkNamesOf('ethereum');
const contracts = v.strictObject(
  Object.fromEntries(CONTRACT_NETWORKS.map((network) => [network, v.optional(contract)])),
);

/** Null: no limit, or no organization. */
const LIMITS = {
  networks: v.nullable(PARTNER_RULES.networks),
  dailyIssuances: v.nullable(PARTNER_RULES.dailyIssuances),
  dailyChanges: v.nullable(PARTNER_RULES.dailyChanges),
};
const passLifetime = v.nullable(PARTNER_RULES.passLifetime);
const organization = v.nullable(PARTNER_RULES.organization);

const NewPartner = v.strictObject({
  clientId,
  name,
  gatekeeperNetwork: v.optional(gatekeeperNetwork),
  sandbox: v.optional(v.boolean('must be true or false')),
  shard: v.optional(shard),
  contracts: v.optional(contracts),
  ...LIMITS,
  passLifetime: v.optional(passLifetime),
  organization: v.optional(organization),
  approval,
  reason,
});

/** Whether the key of a new partner is that of a sandbox if it wants one. Only a sandbox needs no key, because the service makes one. */
export const fitsSandbox = ({
  gatekeeperNetwork: key,
  sandbox = false,
}: {
  readonly gatekeeperNetwork?: string | undefined;
  readonly sandbox?: boolean | undefined;
}): boolean => (key === undefined ? sandbox : isSandbox(key) === sandbox);

export const SANDBOX_RULE = 'must begin with "sandbox" if, and only if, sandbox is true';

/** A new partner. The operator must name every limit, also that there is none. */
export const PartnerBody = v.pipe(
  NewPartner,
  v.forward(v.check<v.InferOutput<typeof NewPartner>, string>(fitsSandbox, SANDBOX_RULE), ['gatekeeperNetwork']),
);

const ChangeFields = v.strictObject({
  name: v.optional(name),
  networks: v.optional(LIMITS.networks),
  dailyIssuances: v.optional(LIMITS.dailyIssuances),
  dailyChanges: v.optional(LIMITS.dailyChanges),
  passLifetime: v.optional(passLifetime),
  organization: v.optional(organization),
  status: v.optional(v.picklist(['active', 'suspended'], 'must be active or suspended')),
  approval,
  reason,
});
const isSetting = (field: string) => field !== 'reason' && field !== 'approval';
export const PARTNER_CHANGES = Object.keys(ChangeFields.entries).filter(isSetting);

export const changesPartner = (change: v.InferOutput<typeof ChangeFields>) => Object.keys(change).some(isSetting);

export const PartnerChangeBody = v.pipe(
  ChangeFields,
  v.check(changesPartner, `must have at least one of ${PARTNER_CHANGES.join(', ')}`),
);

export const ClientPath = v.strictObject({ client: AnyClientId });
/** The place after a client in a list: any text may be an id, so it has a form that no other text has. */
export const clientCursor = (id: string): string => `c.${encodeBase64Url(new TextEncoder().encode(id))}`;

const CURSOR = /^c\.([\w-]{1,1400})$/;

function clientOf(cursor: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      decodeBase64Url(CURSOR.exec(cursor)?.[1] ?? '='),
    );
  } catch {
    return undefined;
  }
}

export const isClientCursor = (cursor: string) => clientOf(cursor) !== undefined;

export const PartnersQuery = v.strictObject({
  limit: queryNumber(1, 100, 100),
  after: v.optional(
    v.pipe(
      text,
      v.check(isClientCursor, 'must be the "next" of a response'),
      v.transform((cursor) => clientOf(cursor) ?? ''),
    ),
  ),
});

export const GatekeeperNetworkPath = v.strictObject({ gatekeeperNetwork });
export const PublicChecksBody = v.strictObject({
  publicVerify: v.boolean('must be true or false'),
  reason,
});

/** The rows of an export. Their rules are those of the database, so that an import restores every row that it had. */

const rowText = v.pipe(text, v.minLength(1, 'must not be empty'), v.check(isVisibleText, VISIBLE_TEXT_RULE));
const rowNumber = v.nullable(wholeNumber(0, Number.MAX_SAFE_INTEGER));

export const derivesLargeSlot = (key: string) => !derivesSmallSlot(key);

const Contracts = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()));

/** Whether the text is a JSON object with the contracts of Ethereum-type networks. */
export function isContractsText(json: string): boolean {
  const { success, output } = v.safeParse(Contracts, json);
  const isContract = ([network, address]: readonly [string, unknown]) =>
    findNetwork(NETWORKS, 'ethereum', network) !== undefined &&
    canonicalWallet('ethereum', String(address)) === address;
  return success && json.startsWith('{') && Object.entries(output).every(isContract);
}

const Rules = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject(RULE_FIELDS),
  // Null ends a rule in a request, and no database has it.
  v.check((rules) => !Object.values(rules).includes(null)),
);

export const isRulesText = (json: string) => v.safeParse(Rules, json).success && json.startsWith('{');

const Names = v.pipe(v.string(), v.parseJson(), v.array(v.string()));

export const isNamesText = (json: string) => v.safeParse(Names, json).success;

const NetworkRow = v.strictObject({
  key: v.pipe(rowText, v.check(derivesLargeSlot, 'must derive a slot of at least 2^64')),
  shard,
  public_verify: v.picklist([0, 1], 'must be 0 or 1'),
  contracts: v.pipe(rowText, v.check(isContractsText, 'must be JSON with contracts by network')),
  // An export of an earlier release has none.
  rules: v.optional(v.pipe(rowText, v.check(isRulesText, 'must be JSON with rules of subjects'))),
});

export const hidesSandbox = ({ key, public_verify }: v.InferOutput<typeof NetworkRow>) =>
  public_verify === 0 || rulesFor(key).mayBePublic;

export const NOT_PUBLIC = 'must be off: a sandbox has no public checks';

const GatekeeperNetworkRow = v.pipe(NetworkRow, v.forward(v.check(hidesSandbox, NOT_PUBLIC), ['public_verify']));

const PartnerRow = v.strictObject({
  client_id: rowText,
  name: rowText,
  gatekeeper_network: rowText,
  networks: v.nullable(v.pipe(rowText, v.check(isNamesText, 'must be JSON with a list of networks'))),
  pass_lifetime_seconds: rowNumber,
  daily_issuances: rowNumber,
  daily_changes: rowNumber,
  organization: v.nullable(rowText),
  status: v.picklist(['active', 'suspended'], 'must be active or suspended'),
  created_at: wholeNumber(0, Number.MAX_SAFE_INTEGER),
});

const Rows = v.strictObject({
  gatekeeper_networks: v.array(GatekeeperNetworkRow, 'must be a list'),
  partners: v.array(PartnerRow, 'must be a list'),
});
export type ImportedRows = v.InferOutput<typeof Rows>;

/** Whether each partner has its gatekeeper network among the rows, and an organization of its own. */
export function areWhole({ gatekeeper_networks, partners }: ImportedRows): boolean {
  const keys = new Set(gatekeeper_networks.map(({ key }) => key));
  const organizations = partners.flatMap((row) => row.organization ?? []);
  return (
    partners.every((row) => keys.has(row.gatekeeper_network)) && new Set(organizations).size === organizations.length
  );
}

const NOT_WHOLE = 'must have the gatekeeper network of each partner, and no organization twice';

/** An export, whole or a slice of it. */
export const PartnerFile = v.pipe(Rows, v.check(areWhole, NOT_WHOLE));

export const ImportBody = v.pipe(
  v.strictObject({ ...Rows.entries, approval, reason }),
  v.check<v.InferOutput<typeof Rows> & { approval?: string | undefined; reason?: string | undefined }, string>(
    areWhole,
    NOT_WHOLE,
  ),
);
