import { problemOf, refuse } from '../../src/http/protocol/problem.ts';
import { EXAMPLE } from '../../src/http/schemas/fields.ts';
import { eventExample } from './event-examples.ts';
import type { Json } from './json.ts';
import { namedSchemas, refTo } from './json-schema.ts';
import { STAGES } from './pass-examples.ts';
import { DISABLED_WEBHOOK, NEW_WEBHOOK, SECRET, WEBHOOK } from './webhook-examples.ts';

interface Example {
  readonly summary: string;
  readonly value: unknown;
}
export type Examples = Readonly<Record<string, Example>>;

const { ethereum, solana } = STAGES;

const REQUESTS: Readonly<Record<string, Examples>> = {
  searchPasses: {
    newest: { summary: 'The newest passes', value: {} },
    active: { summary: 'Passes with a state', value: { limit: 100, filter: { state: 'ACTIVE' } } },
    next: { summary: 'The next page', value: { limit: 100, after: EXAMPLE.id, filter: { state: 'ACTIVE' } } },
    wallet: { summary: 'Passes of a wallet', value: { filter: { walletAddress: EXAMPLE.ethereumWallet } } },
  },
  issuePass: {
    ethereum: { summary: 'On an Ethereum-type network', value: { walletAddress: EXAMPLE.ethereumWallet } },
    solana: { summary: 'On Solana', value: { walletAddress: EXAMPLE.solanaWallet } },
    expiring: {
      summary: 'With an expiry',
      value: { walletAddress: EXAMPLE.ethereumWallet, expiryTimestamp: EXAMPLE.expiry },
    },
  },
  updatePass: {
    freeze: { summary: 'Freeze', value: { state: 'FROZEN' } },
    unfreeze: {
      summary: 'Unfreeze, with a new expiry',
      value: { state: 'ACTIVE', expiryTimestamp: EXAMPLE.expiry },
    },
    expiry: { summary: 'Change the expiry', value: { expiryTimestamp: EXAMPLE.expiry } },
    revoke: { summary: 'Revoke', value: { state: 'REVOKED' } },
  },
  issuePasses: {
    two: {
      summary: 'On two chains',
      value: {
        items: [
          { chain: { type: 'ethereum', network: 'sepolia' }, walletAddress: EXAMPLE.ethereumWallet },
          {
            chain: { type: 'solana', network: 'devnet' },
            walletAddress: EXAMPLE.solanaWallet,
            expiryTimestamp: EXAMPLE.expiry,
          },
        ],
      },
    },
  },
  updatePasses: {
    freeze: {
      summary: 'Freeze one pass and renew another',
      value: {
        items: [
          {
            chain: { type: 'ethereum', network: 'sepolia' },
            walletAddress: EXAMPLE.ethereumWallet,
            state: 'FROZEN',
          },
          {
            chain: { type: 'solana', network: 'devnet' },
            walletAddress: EXAMPLE.solanaWallet,
            expiryTimestamp: EXAMPLE.expiry,
          },
        ],
      },
    },
  },
  createWebhook: {
    all: { summary: 'All events', value: { url: WEBHOOK.url } },
    some: { summary: 'Some types', value: { url: WEBHOOK.url, types: WEBHOOK.types, description: 'Production' } },
  },
  updateWebhook: {
    enable: { summary: 'Enable it again', value: { status: 'enabled' } },
    types: { summary: 'Deliver all types', value: { types: null } },
  },
  replayWebhook: { after: { summary: 'All events after a sequence', value: { after: 48_200 } } },
  disableWebhook: {
    disable: {
      summary: 'A webhook',
      value: { disable: { gatekeeperNetwork: EXAMPLE.gatekeeperNetwork, id: EXAMPLE.webhookId } },
    },
    enable: {
      summary: 'Enable it again',
      value: { enable: { gatekeeperNetwork: EXAMPLE.gatekeeperNetwork, id: EXAMPLE.webhookId } },
    },
  },
  rebuild: {
    slice: { summary: 'A slice', value: { shard: 'DB', objects: [EXAMPLE.objectId], position: '4000' } },
  },
  redrive: {
    pass: {
      summary: 'A pass',
      value: {
        pass: {
          gatekeeperNetwork: EXAMPLE.gatekeeperNetwork,
          chain: 'ethereum',
          network: 'sepolia',
          walletAddress: EXAMPLE.ethereumWallet,
        },
      },
    },
    stuck: { summary: 'All stuck passes', value: { all: 'stuck', olderThan: 300 } },
    deadLetters: { summary: 'All dead letters', value: { deadLetters: 'all' } },
  },
  abandon: {
    network: { summary: 'On a network', value: { chain: 'ethereum', network: 'sepolia' } },
    partner: {
      summary: 'Of a gatekeeper network on a network',
      value: { chain: 'ethereum', network: 'sepolia', gatekeeperNetwork: EXAMPLE.gatekeeperNetwork },
    },
  },
  withdraw: {
    client: { summary: 'Of a client', value: { client: 'a-suspended-client' } },
    partner: { summary: 'Of a gatekeeper network', value: { gatekeeperNetwork: EXAMPLE.gatekeeperNetwork } },
  },
  acceptReconciliation: {
    accept: {
      summary: 'Accept the counted losses',
      value: { accept: { gatekeeperNetwork: EXAMPLE.gatekeeperNetwork, network: 'sepolia' } },
    },
  },
};

const SPENDING = {
  spent: '41250000000000000',
  ceiling: '100000000000000000000',
  reserve: '10000000000000000000',
};

const problemExample = (code: Parameters<typeof refuse>[0]) =>
  JSON.parse(problemOf(refuse(code), EXAMPLE.requestId).body);

const REPLIES: Readonly<Record<string, Examples>> = {
  searchPasses: {
    found: { summary: 'Two passes', value: { records: [solana.active, ethereum.active] } },
    nothing: { summary: 'No passes', value: { records: [] } },
  },
  issuePass: {
    requested: { summary: 'Accepted, on an Ethereum-type network', value: ethereum.requested },
    requestedOnSolana: { summary: 'Accepted, on Solana', value: solana.requested },
    active: { summary: 'Active, after waiting or already before', value: ethereum.active },
  },
  getPass: {
    active: { summary: 'Active, on an Ethereum-type network', value: ethereum.active },
    activeOnSolana: { summary: 'Active, on Solana', value: solana.active },
    sent: { summary: 'Sent, in no block yet', value: ethereum.sent },
    requested: { summary: 'Accepted, not sent yet', value: solana.requested },
  },
  updatePass: {
    freezing: { summary: 'Accepted, not frozen on chain yet', value: { ...ethereum.freezing, status: 'ok' } },
    frozen: { summary: 'Frozen after waiting, on Solana', value: { ...solana.frozen, status: 'ok' } },
  },
  issuePasses: {
    mixed: {
      summary: 'One accepted and one refused item',
      value: {
        results: [
          { status: 202, settled: false, record: ethereum.requested },
          { status: 409, problem: problemExample('pass_revoked') },
        ],
      },
    },
  },
  updatePasses: {
    mixed: {
      summary: 'One accepted and one refused item',
      value: {
        results: [
          { status: 200, settled: false, record: ethereum.freezing },
          { status: 429, problem: problemExample('change_quota_reached'), retryAfter: 3_600 },
        ],
      },
    },
  },
  revokePass: { revoking: { summary: 'Accepted, not revoked on chain yet', value: ethereum.revoking } },
  listEvents: {
    page: {
      summary: 'A page, with later events',
      value: { events: [eventExample('pass.issued'), eventExample('pass.renewed')], next: 48_202, more: true },
    },
    restored: {
      summary: 'After the restoration of a database',
      value: { events: [eventExample('feed.restored')], next: 10_000_048_212, more: false },
    },
    nothing: { summary: 'The end of the feed', value: { events: [], next: 48_212, more: false } },
  },
  createWebhook: { created: { summary: 'Created', value: { ...NEW_WEBHOOK, secret: SECRET } } },
  listWebhooks: { webhooks: { summary: 'Two webhooks', value: { webhooks: [WEBHOOK, DISABLED_WEBHOOK] } } },
  getWebhook: {
    enabled: { summary: 'Enabled', value: WEBHOOK },
    disabled: { summary: 'Disabled, because the URL answered 410', value: DISABLED_WEBHOOK },
  },
  updateWebhook: { updated: { summary: 'Changed', value: WEBHOOK } },
  testWebhook: {
    delivered: { summary: 'Delivered', value: { delivered: true, status: 204, durationMs: 84 } },
    late: { summary: 'No response', value: { delivered: false, durationMs: 15_000, error: 'no response within 15 s' } },
  },
  rotateWebhookSecret: {
    rotated: { summary: 'Rotated', value: { secret: SECRET, previousValidUntil: '2026-11-21T11:03:45.000Z' } },
  },
  replayWebhook: { replaying: { summary: 'At its new position', value: { ...WEBHOOK, cursor: 48_200 } } },
  listDeliveries: {
    page: {
      summary: 'A failed and a later delivery of an event',
      value: {
        deliveries: [
          {
            number: 1_206,
            event: `${EXAMPLE.id}.1`,
            sequence: 48_212,
            type: 'pass.issued',
            at: '2026-11-20T12:14:57.028Z',
            attempt: 1,
            outcome: 'failed',
            status: 503,
            durationMs: 120,
          },
          {
            number: 1_207,
            event: `${EXAMPLE.id}.1`,
            sequence: 48_212,
            type: 'pass.issued',
            at: '2026-11-20T12:15:02.412Z',
            attempt: 2,
            outcome: 'delivered',
            status: 204,
            durationMs: 84,
          },
        ],
        next: 1_207,
        more: false,
      },
    },
  },
  listAllWebhooks: {
    page: {
      summary: 'A page',
      value: { webhooks: [{ gatekeeperNetwork: EXAMPLE.gatekeeperNetwork, ...WEBHOOK, lag: 0 }], next: null },
    },
  },
  disableWebhook: {
    disabled: { summary: 'Disabled', value: { ...WEBHOOK, status: 'disabled', disabledReason: 'operator' } },
  },
  listSigners: {
    waiting: {
      summary: 'On an Ethereum-type network, with waiting steps',
      value: {
        signers: [
          {
            network: 'sepolia',
            chain: 'ethereum',
            address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
            retired: false,
            compromised: false,
            balance: '998732000000000000',
            nextNonce: 1208,
            waiting: 3,
            inFlight: { unsent: 0, sent: 2, confirmed: 5 },
            oldestPending: { step: `${EXAMPLE.id}:1`, since: 1_795_172_625, ageSeconds: 42, nonce: 1206 },
            paused: null,
            spending: SPENDING,
            lanes: [{ gatekeeperNetwork: EXAMPLE.gatekeeperNetwork, waiting: 3, paused: null, spending: SPENDING }],
          },
        ],
      },
    },
    unknown: {
      summary: 'On Solana, without an answer',
      value: {
        signers: [
          {
            network: 'devnet',
            chain: 'solana',
            address: 'gatbGF9DvLAw3kWyn1EmH5Nh1Sqp8sTukF7yaQpSc71',
            retired: false,
            compromised: false,
            balance: null,
            why: 'the signer does not answer',
          },
        ],
      },
    },
  },
  redrive: {
    one: { summary: 'One pass', value: { redriven: 1, more: false } },
    many: { summary: 'More to retry', value: { redriven: 500, more: true, next: EXAMPLE.position } },
  },
  getReconciliation: {
    finished: {
      summary: 'A finished run',
      value: {
        run: {
          started: 1_795_132_800,
          finished: 1_795_133_410,
          night: 1_795_132_800,
          slices: 12,
          counts: { passes: 1200, 'row-stale': 1 },
          held: [],
        },
        rebuilds: [],
      },
    },
    none: { summary: 'No run yet', value: { run: null, rebuilds: [] } },
  },
  rebuild: {
    done: {
      summary: 'A complete slice',
      value: { objects: 200, passes: 150, elsewhere: 48, empty: 2, unreachable: [] },
    },
  },
  syncPass: { frozen: { summary: 'Frozen', value: solana.frozen } },
};

export const requestExamples = (operationId: string): Examples | undefined => REQUESTS[operationId];

/** Returns the examples of the operation, or one example that combines those of the fields. */
export function replyExamples(operationId: string, schema: Json): Json {
  const examples = REPLIES[operationId];
  return examples === undefined ? { example: exampleOf(schema) } : { examples };
}

const schemas = namedSchemas();

function exampleOf(schema: Json): unknown {
  const { $ref, examples, type, properties, items, anyOf } = schema as {
    $ref?: string;
    examples?: unknown[];
    type?: string;
    properties?: Record<string, Json>;
    items?: Json;
    anyOf?: Json[];
  };
  if (examples !== undefined) return examples[0];
  if ($ref !== undefined) return exampleOf(schemas[$ref.replace(refTo('schemas', ''), '')] ?? {});
  if (items !== undefined) return [exampleOf(items)];
  if (anyOf?.[0] !== undefined) return exampleOf(anyOf[0]);
  if (properties === undefined) throw new Error(`a field of type ${type} has no example: add one to its schema`);
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field)]));
}
