import * as v from 'valibot';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import {
  CONTRACT_NETWORKS,
  ImportBody,
  PartnerBody,
  PartnerChangeBody,
  PublicChecksBody,
} from '../../../src/operator/partner-requests.ts';
import { describe, list, object } from '../describe.ts';
import {
  APPROVAL_TEXT,
  annotate,
  countField,
  EXAMPLE,
  extensibleEnum,
  gatekeeperNetwork,
  networkName,
  REASON_TEXT,
  stringField,
  unixSecondsField,
} from '../fields.ts';

import { Rules } from './subjects.ts';

/** Requests and replies about partners and gatekeeper networks. */

export const ClientId = stringField('The id of the OAuth client, as its tokens show it.', EXAMPLE.client, {
  minLength: 1,
  maxLength: 256,
});

const NULL_LIMIT = '`null`: no limit.';
const LIMIT_TEXTS = {
  networks: annotate(`The networks on which the partner may issue passes. ${NULL_LIMIT}`, ['sepolia', 'baseSepolia']),
  dailyIssuances: annotate(`The maximum number of issuances per day (UTC). ${NULL_LIMIT}`, 500),
  dailyChanges: annotate(
    `The maximum number of changes per day (UTC). Revoking is always possible. ${NULL_LIMIT}`,
    500,
  ),
  passLifetime: annotate('The lifetime of new passes in seconds. `null`: they do not expire.', 31_536_000),
  organization: annotate(
    'The organization whose members may sign in to the console for the partner. `null`: nobody may.',
    'org_acme',
  ),
};
const NAME = annotate('The name of the partner, for lists.', 'Stark');
const contractTexts = Object.fromEntries(
  CONTRACT_NETWORKS.map((network) => [network, annotate(`The contract on ${network}.`, OWNERLESS_CONTRACT)]),
);

export const PartnerRequest = describe(PartnerBody, 'A new partner. Each limit must be named, also if there is none.', {
  clientId: annotate('The id of its OAuth client, as its tokens show it.', EXAMPLE.client),
  name: NAME,
  gatekeeperNetwork: annotate(
    'Its gatekeeper network: base58 of 32 bytes. It begins with `sandbox` if, and only if, `sandbox` is true. Without it, the service makes a new sandbox.',
    EXAMPLE.clientGatekeeperNetwork,
  ),
  sandbox: annotate('Whether all its networks are simulated. Name the same sandbox for a further client of it.', false),
  shard: annotate(
    'The binding of the database for its passes. Default: the shard of the gatekeeper network, or `DB` if it is new.',
    'DB',
  ),
  contracts: object(
    'The contracts of its passes by Ethereum-type network. Absent ones are chosen by the first issuance. They never change.',
    contractTexts,
  ),
  ...LIMIT_TEXTS,
  approval: APPROVAL_TEXT,
  reason: REASON_TEXT,
});

export const PartnerChangeRequest = describe(PartnerChangeBody, 'The settings to change. An absent one stays.', {
  name: NAME,
  ...LIMIT_TEXTS,
  status: annotate('`suspended` refuses all requests of the partner, and `active` ends that.', 'suspended'),
  approval: APPROVAL_TEXT,
  reason: REASON_TEXT,
});

export const PublicChecksRequest = describe(PublicChecksBody, 'Whether anybody may check the passes.', {
  publicVerify: annotate('Whether `GET /verify` answers for the gatekeeper network.', true),
  reason: REASON_TEXT,
});

const contracts = v.pipe(
  v.record(v.string(), v.string()),
  annotate('The chosen contracts by Ethereum-type network.', { sepolia: '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E' }),
);

export const GatekeeperNetworkSettings = v.pipe(
  v.object({
    gatekeeperNetwork,
    sandbox: v.pipe(v.boolean(), annotate('Whether all its networks are simulated.', false)),
    shard: stringField('The binding of the database with its passes.', 'DB', { minLength: 1 }),
    contracts,
    rules: Rules,
    publicVerify: v.pipe(v.boolean(), annotate('Whether anybody may check its passes.', false)),
  }),
  v.description('The settings of a gatekeeper network.'),
);

export const Partner = v.pipe(
  v.object({
    clientId: ClientId,
    name: stringField('The name of the partner, for lists.', 'Stark', { minLength: 1 }),
    networks: v.pipe(
      v.nullable(v.array(networkName)),
      v.description('The networks on which the partner may issue passes. `null`: all.'),
    ),
    passLifetime: v.nullable(
      countField('The lifetime of new passes in seconds. `null`: they do not expire.', 31_536_000),
    ),
    dailyIssuances: v.nullable(countField('The maximum number of issuances per day (UTC). `null`: no limit.', 500)),
    dailyChanges: v.nullable(countField('The maximum number of changes per day (UTC). `null`: no limit.', 500)),
    organization: v.nullable(
      stringField(
        'The organization whose members may sign in to the console for the partner. `null`: nobody may.',
        'org_acme',
        { minLength: 1 },
      ),
    ),
    status: extensibleEnum(['active', 'suspended'], 'Whether the service accepts requests of the partner.'),
    createdAt: unixSecondsField('The time when the partner was added.'),
    ...GatekeeperNetworkSettings.pipe[0].entries,
  }),
  v.description('A partner and its gatekeeper network.'),
);

const next = v.nullable(
  stringField('Send it as `after` to get the next page. `null`: this is the last one.', EXAMPLE.clientCursor, {
    minLength: 1,
  }),
);

export const PartnerPage = v.pipe(
  v.object({
    partners: v.pipe(v.array(Partner), v.maxLength(100), v.description('The partners in the order of their ids.')),
    next,
  }),
  v.description('A page of the partners.'),
);

const rowText = (description: string, example: string) => stringField(description, example, { minLength: 1 });

export const GatekeeperNetworkRow = v.pipe(
  v.object({
    key: gatekeeperNetwork,
    shard: rowText('The binding of the database with its passes.', 'DB'),
    public_verify: v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.maxValue(1),
      annotate('The status of the public checks: 1 is on, 0 is off. They are always off for a sandbox.', 0),
    ),
    contracts: rowText('The chosen contracts by network, as JSON.', '{}'),
    rules: rowText('The rules for subjects, as JSON.', '{}'),
  }),
  v.description('A gatekeeper network as the database has it.'),
);

export const PartnerRow = v.pipe(
  v.object({
    client_id: ClientId,
    name: rowText('The name of the partner.', 'Stark'),
    gatekeeper_network: gatekeeperNetwork,
    networks: v.nullable(rowText('The networks as JSON. `null`: all.', '["sepolia"]')),
    pass_lifetime_seconds: v.nullable(
      countField('The lifetime of new passes in seconds. `null`: they do not expire.', 31_536_000),
    ),
    daily_issuances: v.nullable(countField('The maximum number of issuances per day. `null`: no limit.', 500)),
    daily_changes: v.nullable(countField('The maximum number of changes per day. `null`: no limit.', 500)),
    organization: v.nullable(rowText('The organization. `null`: none.', 'org_acme')),
    status: extensibleEnum(['active', 'suspended'], 'Whether the service accepts requests of the partner.'),
    created_at: unixSecondsField('The time when the partner was added.'),
  }),
  v.description('A partner as the database has it.'),
);

const ROWS = {
  gatekeeper_networks: v.pipe(
    v.array(GatekeeperNetworkRow),
    v.maxLength(100),
    v.description('The gatekeeper networks of these partners.'),
  ),
  partners: v.pipe(v.array(PartnerRow), v.maxLength(100), v.description('The partners in the order of their ids.')),
};

export const PartnerExport = v.pipe(v.object({ ...ROWS, next }), v.description('A slice of an export.'));

export const PartnerImportRequest = describe(ImportBody, 'A slice of an export.', {
  gatekeeper_networks: list('The gatekeeper networks of these partners.', GatekeeperNetworkRow),
  partners: list('The partners.', PartnerRow),
  approval: APPROVAL_TEXT,
  reason: REASON_TEXT,
});

export const PartnersImported = v.pipe(
  v.object({ imported: countField('The number of partners that the slice has added or overwritten.', 100) }),
  v.description('The result of an import.'),
);
