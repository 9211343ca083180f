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

export const auditOperations: Operations = {
  listAudit: {
    summary: 'Read the audit trail of your gatekeeper network',
    description:
      'Each change that a client or a person of your gatekeeper network requested has an entry, with the hash of the entry before it. The trail has the entry of an issuance once the pass is settled, and otherwise within two minutes. It has all others within seconds after the change, and never loses one. The service keeps entries for 400 days by default. A page reads at most 2,000 entries to find those that match. A request with a `limit` above 100, `client`, `action`, `from` or `to` is a large read: 20 in 10 seconds.',
    query: QUERY,
    replies: { 200: { description: 'A page of the trail.', body: AuditPage } },
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
