import { annotate, EXAMPLE } from '../fields.ts';
import type { Operations } from '../operation.ts';
import { AuditPage, CommandRequest, RecordedCommand } from '../schemas/audit.ts';

/** Audit trails, for partners and for the operator. */

const QUERY = {
  pass: annotate('Only changes of this pass: its id, or its chain, network and wallet.', EXAMPLE.id),
  client: annotate('Only actions of this OAuth client.', 'acme'),
  action: annotate('Only this action.', 'pass.freeze'),
  from: annotate('Only changes since this time (UTC).', '2026-11-20T11:00:00Z'),
  to: annotate('Only changes up to this time (UTC).', '2026-11-20T12:00:00Z'),
  order: annotate('Whether the oldest or the newest entry is the first one.', 'newest'),
  after: annotate('Continues the list after this sequence: the `next` of the previous response.', 48_211),
  limit: annotate('The maximum number of entries in the response.', 100),
};

const HASHES = {
  previous: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  own: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
};
const PAGE = {
  entries: [
    {
      ...{ sequence: 48_212, previous: HASHES.previous, key: `${EXAMPLE.id}/3`, at: '2026-11-20T11:04:45.000Z' },
      action: 'pass.freeze',
      actor: { client: 'acme' },
      requestId: EXAMPLE.requestId,
      target: {
        pass: EXAMPLE.id,
        chain: { type: 'ethereum', network: 'sepolia' },
        walletAddress: EXAMPLE.ethereumWallet,
      },
      before: { state: 'ACTIVE', client: 'acme' },
      after: { state: 'FROZEN', client: 'acme' },
      reason: 'case 4711',
      outcome: { type: 'done' },
      hash: HASHES.own,
    },
  ],
  next: 48_212,
  more: false,
  head: { sequence: 48_212, hash: HASHES.own },
  start: { sequence: 0, hash: '' },
};

export const auditOperations: Operations = {
  listAudit: {
    summary: 'Read the audit trail of your gatekeeper network',
    description:
      'Each change that a client or a person of your gatekeeper network requested has an entry, with the hash of the entry before it. The trail has the entry of an issuance once the pass is settled, and otherwise within two minutes. It has all others within seconds after the change, and never loses one. The service keeps entries for 400 days by default. A page reads at most 2,000 entries to find those that match. A request with a `limit` above 100, `client`, `action`, `from` or `to` is a large read: 20 in 10 seconds.',
    query: QUERY,
    replies: {
      200: {
        description: 'A page of the trail.',
        body: AuditPage,
        examples: { freeze: { summary: 'A freeze', value: PAGE } },
      },
    },
    refuses: ['invalid_request', 'unknown_network', 'invalid_wallet', 'pass_not_found'],
  },
  listAllAudit: {
    summary: 'Read an audit trail',
    description:
      'Returns the trail of the actions of the operator, or of a gatekeeper network. A page reads at most 2,000 entries to find those that match.',
    query: {
      trail: annotate('`operator`, or a gatekeeper network. If absent, `operator`.', EXAMPLE.gatekeeperNetwork),
      ...QUERY,
    },
    replies: { 200: { description: 'A page of the trail.', body: AuditPage } },
    refuses: ['invalid_request', 'unknown_network', 'invalid_wallet', 'pass_not_found'],
  },
  reportCommand: {
    summary: 'Record a command of the operator in the audit trail',
    description: 'Commands that act on the chain or a database send this before they start.',
    request: {
      body: CommandRequest,
      examples: {
        restore: {
          summary: 'A restore',
          value: { command: 'restore', environment: 'production', arguments: ['--shard', 'DB_1'] },
        },
      },
    },
    replies: { 201: { description: 'The command is recorded.', body: RecordedCommand } },
  },
};
