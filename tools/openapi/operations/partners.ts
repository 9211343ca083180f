import { annotate, EXAMPLE } from '../fields.ts';
import type { Operations } from '../operation.ts';
import {
  GatekeeperNetworkSettings,
  Partner,
  PartnerChangeRequest,
  PartnerExport,
  PartnerImportRequest,
  PartnerPage,
  PartnerRequest,
  PartnersImported,
  PublicChecksRequest,
} from '../schemas/partners.ts';
import { WaitsForApproval } from '../schemas/revocations.ts';
import { RulesRequest } from '../schemas/subjects.ts';
import { APPROVAL_REFUSALS } from '../waits-for-approval.ts';

/** Operations of the operator on partners and gatekeeper networks. */

const GIVES_RIGHTS = {
  description:
    'With `SECOND_PERSON`, a change that gives a client or an organization rights over passes that exist waits for another person.',
  body: WaitsForApproval,
};

const PAGE = {
  limit: annotate('The maximum number of partners in the response.', 100),
  after: annotate('Continues the list: the `next` of the previous response.', EXAMPLE.clientCursor),
};

const NETWORK = {
  gatekeeperNetwork: EXAMPLE.clientGatekeeperNetwork,
  sandbox: false,
  shard: 'DB',
  contracts: {},
  rules: {},
  publicVerify: false,
};
const STARK = {
  clientId: EXAMPLE.client,
  name: 'Stark',
  networks: ['sepolia'],
  passLifetime: null,
  dailyIssuances: 500,
  dailyChanges: null,
  organization: 'org_stark',
  status: 'active',
  createdAt: 1_795_172_625,
  ...NETWORK,
};
const ROWS = {
  gatekeeper_networks: [
    { key: EXAMPLE.clientGatekeeperNetwork, shard: 'DB', public_verify: 0, contracts: '{}', rules: '{}' },
  ],
  partners: [
    {
      client_id: EXAMPLE.client,
      name: 'Stark',
      gatekeeper_network: EXAMPLE.clientGatekeeperNetwork,
      networks: '["sepolia"]',
      pass_lifetime_seconds: null,
      daily_issuances: 500,
      daily_changes: null,
      organization: 'org_stark',
      status: 'active',
      created_at: 1_795_172_625,
    },
  ],
};

export const partnerOperations: Operations = {
  listPartners: {
    summary: 'List the partners',
    description: 'Ordered by client id.',
    query: PAGE,
    replies: {
      200: {
        description: 'A page of the partners.',
        body: PartnerPage,
        examples: { page: { summary: 'A page', value: { partners: [STARK], next: null } } },
      },
    },
  },
  addPartner: {
    summary: 'Add a partner',
    description:
      'Adds the gatekeeper network too if it is new. With `sandbox`, all its networks are simulated: it needs no key and no endpoint, and stays a sandbox. The rules of this deployment also apply: the shard must be bound, and the client must not be that of the console.',
    request: {
      body: PartnerRequest,
      examples: {
        partner: {
          summary: 'A partner',
          value: {
            clientId: EXAMPLE.client,
            name: 'Stark',
            gatekeeperNetwork: EXAMPLE.clientGatekeeperNetwork,
            networks: ['sepolia'],
            dailyIssuances: 500,
            dailyChanges: null,
          },
        },
        sandbox: {
          summary: 'A partner in a new sandbox',
          value: {
            clientId: EXAMPLE.client,
            name: 'Stark, sandbox',
            sandbox: true,
            networks: null,
            dailyIssuances: null,
            dailyChanges: null,
          },
        },
      },
    },
    replies: {
      201: {
        description: 'The partner.',
        body: Partner,
        headers: ['Location'],
        examples: { added: { summary: 'The partner', value: STARK } },
      },
      202: GIVES_RIGHTS,
    },
    refuses: [...APPROVAL_REFUSALS, 'partner_exists', 'organization_taken', 'shard_differs', 'contract_differs'],
  },
  exportPartners: {
    summary: 'Export partners with their gatekeeper networks, as rows of the database',
    description:
      'Each response is a slice that `POST /admin/partners/import` takes without its `next`, if it fits into a body. It also works while the database is closed for a restore.',
    query: PAGE,
    replies: {
      200: {
        description: 'A slice of the export.',
        body: PartnerExport,
        examples: { slice: { summary: 'The last slice', value: { ...ROWS, next: null } } },
      },
    },
  },
  importPartners: {
    summary: 'Import exported partners',
    description:
      'Adds partners and gatekeeper networks, and overwrites existing ones, all of the request or none. Other partners stay, except that one of them loses an organization that the rows give to another partner. It also works while the database is closed for a restore. The body may have 320 KiB.',
    request: {
      body: PartnerImportRequest,
      examples: { slice: { summary: 'A slice', value: ROWS } },
    },
    replies: { 200: { description: 'The number of imported partners.', body: PartnersImported }, 202: GIVES_RIGHTS },
    refuses: [...APPROVAL_REFUSALS, 'sandbox_differs', 'contract_differs'],
  },
  getPartner: {
    summary: 'Fetch a partner',
    description: 'Shows the settings that the database has.',
    replies: {
      200: {
        description: 'The partner.',
        body: Partner,
        examples: { partner: { summary: 'A partner', value: STARK } },
      },
    },
    refuses: ['partner_not_found'],
  },
  changePartner: {
    summary: 'Change a partner, suspend it, or end its suspension',
    description:
      'Every location follows a change within 60 seconds. The signers follow a suspension before the response; one that does not answer follows within a minute.',
    request: {
      body: PartnerChangeRequest,
      examples: {
        suspend: { summary: 'Suspend it', value: { status: 'suspended', reason: 'stolen secret' } },
        limits: { summary: 'Change limits', value: { dailyIssuances: 1_000, networks: null } },
      },
    },
    replies: {
      200: {
        description: 'The partner after the change.',
        body: Partner,
        examples: { suspended: { summary: 'Suspended', value: { ...STARK, status: 'suspended' } } },
      },
      202: GIVES_RIGHTS,
    },
    refuses: [...APPROVAL_REFUSALS, 'partner_not_found', 'organization_taken'],
  },
  switchPublicChecks: {
    summary: 'Switch the public checks of a gatekeeper network',
    description:
      'With public checks, anybody may ask `GET /verify` about its passes. At most 10,000 have them, and no sandbox.',
    request: {
      body: PublicChecksRequest,
      examples: { on: { summary: 'On', value: { publicVerify: true } } },
    },
    replies: {
      200: {
        description: 'The gatekeeper network after the change.',
        body: GatekeeperNetworkSettings,
        examples: { on: { summary: 'On', value: { ...NETWORK, publicVerify: true } } },
      },
    },
    refuses: ['gatekeeper_network_not_found', 'public_networks_limit_reached'],
  },
  changeNetworkRules: {
    summary: 'Change the rules of a gatekeeper network for subjects',
    description: 'Does the same as the partner with `PATCH /rules`. Every location follows within 60 seconds.',
    request: {
      body: RulesRequest,
      examples: { five: { summary: 'Five passes per person', value: { subjectMaxPasses: 5 } } },
    },
    replies: {
      200: {
        description: 'The gatekeeper network after the change.',
        body: GatekeeperNetworkSettings,
        examples: {
          one: {
            summary: 'One pass per person',
            value: { ...NETWORK, rules: { subjectMaxPasses: 5 } },
          },
        },
      },
    },
    refuses: ['gatekeeper_network_not_found'],
  },
};
