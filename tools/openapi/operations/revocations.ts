import { EXAMPLE } from '../fields.ts';
import type { Operations } from '../operation.ts';
import {
  ApprovalRequest,
  Approvals,
  Decided,
  RevocationRequest,
  Revoked,
  WaitsForApproval,
} from '../schemas/revocations.ts';
import { APPROVAL_REFUSALS, WAITS_TEXT } from '../waits-for-approval.ts';

const reason = 'stolen secret, ticket 4711';

/** Operations of the operator that revoke passes, and those of the second person. */
export const revocationOperations: Operations = {
  revokePasses: {
    summary:
      'Revoke the passes of a client or a gatekeeper network, a list of passes, or the tokens of wallets without a pass',
    description:
      "Revokes up to 200 passes. Repeat the request with `after` while `next` is not `null`. The revocation is final, as a partner's own. A request may be sent twice: a pass that is revoked already is counted and left.",
    request: {
      body: RevocationRequest,
      examples: {
        client: {
          summary: 'The passes that a client issued in an hour, counted only',
          value: { client: 'a-suspended-client', from: 1_795_172_625, to: 1_795_176_225, reason, dryRun: true },
        },
        network: {
          summary: 'All passes of a gatekeeper network',
          value: { gatekeeperNetwork: EXAMPLE.gatekeeperNetwork, reason },
        },
      },
    },
    replies: {
      200: { description: 'The result of the slice.', body: Revoked },
      202: { description: WAITS_TEXT, body: WaitsForApproval },
    },
    refuses: [...APPROVAL_REFUSALS, 'unknown_network', 'invalid_wallet'],
  },
  listApprovals: {
    summary: 'List the actions that wait for a second person',
    description: 'An approval ends after 24 hours. A confirmed one is listed until its action is done.',
    replies: { 200: { description: 'The approvals.', body: Approvals } },
  },
  decideApproval: {
    summary: 'Confirm or reject an action as the second person',
    description:
      'Only a person who signed in to the console may decide, and not the one who asked. After the confirmation, the same request with `approval` does the action, and no more than was asked for.',
    request: {
      body: ApprovalRequest,
      examples: {
        confirm: { summary: 'Confirm', value: { confirm: EXAMPLE.requestId } },
        reject: { summary: 'Reject', value: { reject: EXAMPLE.requestId } },
      },
    },
    replies: { 200: { description: 'The decision is stored.', body: Decided } },
    refuses: APPROVAL_REFUSALS,
  },
};
