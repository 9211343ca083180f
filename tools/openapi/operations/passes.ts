import { type ProblemCode, problemOf, refuse } from '../../../src/http/protocol/problem.ts';
import { annotate, EXAMPLE } from '../fields.ts';
import type { Operations } from '../operation.ts';
import { STAGES } from '../pass-examples.ts';
import {
  FoundPasses,
  IssueManyRequest,
  IssueRequest,
  ItemResults,
  PassRecord,
  SearchRequest,
  UpdatedPass,
  UpdateManyRequest,
  UpdateRequest,
} from '../schemas/passes.ts';

/** Operations of partners on passes. */

const { ethereum, solana } = STAGES;

const problemExample = (code: ProblemCode) => JSON.parse(problemOf(refuse(code), EXAMPLE.requestId).body);

/** The codes of an issuance, alone or as an item. */
const ISSUE_REFUSALS: readonly ProblemCode[] = [
  'unknown_network',
  'invalid_wallet',
  'network_not_enabled',
  'network_ended',
  'network_not_allowed',
  'pass_frozen',
  'pass_revoked',
  'pass_expired',
  'expiry_differs',
  'reference_differs',
  'subject_differs',
  'subject_required',
  'subject_limit_reached',
  'subject_frozen',
  'subject_revoked',
  'issued_by_another_gatekeeper',
  'quota_reached',
  'change_quota_reached',
  'room_quota_reached',
  'pass_change_limit_reached',
  'waiting_limit_reached',
  'sandbox_full',
];

/** The codes of a change, alone or as an item. */
const UPDATE_REFUSALS: readonly ProblemCode[] = [
  'unknown_network',
  'invalid_wallet',
  'network_ended',
  'pass_not_found',
  'pass_revoked',
  'pass_rejected',
  'subject_differs',
  'subject_required',
  'subject_limit_reached',
  'subject_frozen',
  'subject_revoked',
  'issued_by_another_gatekeeper',
  'change_quota_reached',
  'room_quota_reached',
  'pass_change_limit_reached',
  'waiting_limit_reached',
];

export const passOperations: Operations = {
  searchPasses: {
    summary: 'Search passes, newest first',
    description:
      'Returns passes of your gatekeeper network. To read all of them, send `next` of each response as `after`, until a response has none. A page may have fewer records than `limit`, even none, and a `next`. A search is a large read (20 in 10 seconds) if it counts, if its `skip` is above 100, or if it has `walletPrefix`, `validity` or `expiresBefore` together with another filter.',
    request: {
      body: SearchRequest,
      examples: {
        newest: { summary: 'The newest passes', value: {} },
        active: { summary: 'Passes with a state', value: { limit: 100, filter: { state: 'ACTIVE' } } },
        next: { summary: 'The next page', value: { limit: 100, after: EXAMPLE.id, filter: { state: 'ACTIVE' } } },
        wallet: { summary: 'Passes of a wallet', value: { filter: { walletAddress: EXAMPLE.ethereumWallet } } },
        expired: { summary: 'Expired passes', value: { filter: { validity: 'expired' }, count: true } },
        prefix: {
          summary: 'Passes by the beginning of a wallet',
          value: { filter: { walletPrefix: EXAMPLE.ethereumWallet.slice(0, 10) } },
        },
        reference: { summary: 'Passes with a reference', value: { filter: { reference: EXAMPLE.reference } } },
        subject: { summary: 'Passes of a person', value: { filter: { subject: EXAMPLE.subject } } },
      },
    },
    replies: {
      200: {
        description: 'A page of passes.',
        body: FoundPasses,
        headers: ['Gatepass-Bookmark'],
        examples: {
          found: { summary: 'Two passes', value: { records: [solana.active, ethereum.active], count: 2 } },
          nothing: { summary: 'No passes', value: { records: [] } },
        },
      },
    },
    refuses: ['unknown_network', 'invalid_wallet'],
  },
  issuePass: {
    summary: 'Issue a pass to a wallet',
    description:
      'The service stores the request, responds, and sends the transaction afterwards. A repeated request returns the same pass and sends no second transaction. It changes only a `REJECTED` pass, which it tries again, and an expired pass, which it renews to `expiryTimestamp` or for the default lifetime of passes of the partner. An `expiryTimestamp` other than the one requested last is refused, and so is a `reference` or a `subject` other than that of the pass: change them with PATCH. If the wallet already has a gateway token, the pass adopts it; a given `expiryTimestamp` is then set on it.',
    request: {
      body: IssueRequest,
      examples: {
        ethereum: { summary: 'On an Ethereum-type network', value: { walletAddress: EXAMPLE.ethereumWallet } },
        solana: { summary: 'On Solana', value: { walletAddress: EXAMPLE.solanaWallet } },
        expiring: {
          summary: 'With an expiry',
          value: { walletAddress: EXAMPLE.ethereumWallet, expiryTimestamp: EXAMPLE.expiry },
        },
        named: {
          summary: 'With a reference',
          value: { walletAddress: EXAMPLE.ethereumWallet, reference: EXAMPLE.reference },
        },
        ofPerson: {
          summary: 'Of a person with several wallets',
          value: { walletAddress: EXAMPLE.ethereumWallet, subject: EXAMPLE.subject },
        },
      },
    },
    replies: {
      202: {
        description: 'The record of the pass.',
        body: PassRecord,
        headers: ['Gatepass-Bookmark'],
        examples: {
          requested: { summary: 'Accepted, on an Ethereum-type network', value: ethereum.requested },
          requestedOnSolana: { summary: 'Accepted, on Solana', value: solana.requested },
          active: { summary: 'Active, after waiting or already before', value: ethereum.active },
        },
      },
    },
    refuses: ISSUE_REFUSALS,
  },
  getPass: {
    summary: 'Fetch the pass of a wallet',
    description:
      'Returns the record of the pass with its history. A pass of another gatekeeper network gives the same response as a missing pass.',
    replies: {
      200: {
        description: 'The record of the pass.',
        body: PassRecord,
        headers: ['Gatepass-Bookmark', 'ETag'],
        examples: {
          active: { summary: 'Active, on an Ethereum-type network', value: ethereum.active },
          activeOnSolana: { summary: 'Active, on Solana', value: solana.active },
          sent: { summary: 'Sent, in no block yet', value: ethereum.sent },
          requested: { summary: 'Accepted, not sent yet', value: solana.requested },
        },
      },
      304: { description: 'The pass still matches `If-None-Match`.', headers: ['Gatepass-Bookmark', 'ETag'] },
    },
    refuses: ['unknown_network', 'invalid_wallet', 'pass_not_found'],
  },
  updatePass: {
    summary: 'Freeze, unfreeze or revoke a pass, or change its expiry, its reference or its subject',
    description:
      'The service stores the change, and the record shows it at once. The chain follows, and an event shows when the change is confirmed. A repeated request changes nothing. A change of a new pass waits until the issuance is final. On an Ethereum-type chain, a frozen pass gets a new expiry on chain only when it is unfrozen; until then, the pass counts as settled. A change of the reference alone takes no transaction, and is allowed in every state. `null` removes the reference, also from all events. The same holds for the subject, while the subject is neither frozen nor revoked. An expired pass with a subject gets a new expiry only as far as the rules of the gatekeeper network allow another pass of the subject.',
    request: {
      body: UpdateRequest,
      examples: {
        freeze: { summary: 'Freeze', value: { state: 'FROZEN' } },
        unfreeze: {
          summary: 'Unfreeze, with a new expiry',
          value: { state: 'ACTIVE', expiryTimestamp: EXAMPLE.expiry },
        },
        expiry: { summary: 'Change the expiry', value: { expiryTimestamp: EXAMPLE.expiry } },
        reference: { summary: 'Change the reference', value: { reference: EXAMPLE.reference } },
        subject: { summary: 'Set the subject', value: { subject: EXAMPLE.subject } },
        withoutReference: { summary: 'Remove the reference', value: { reference: null } },
        revoke: { summary: 'Revoke', value: { state: 'REVOKED' } },
      },
    },
    replies: {
      200: {
        description: 'The record of the pass with `status`.',
        body: UpdatedPass,
        headers: ['Gatepass-Bookmark'],
        examples: {
          freezing: { summary: 'Accepted, not frozen on chain yet', value: { ...ethereum.freezing, status: 'ok' } },
          frozen: { summary: 'Frozen after waiting, on Solana', value: { ...solana.frozen, status: 'ok' } },
        },
      },
    },
    refuses: UPDATE_REFUSALS,
  },
  revokePass: {
    summary: 'Revoke a pass',
    description:
      'Does the same as PATCH with the state `REVOKED`. A revocation is final. A repeated request changes nothing.',
    query: { reason: annotate('Why, for the audit trail: at most 200 characters. No dApp sees it.', 'case 4711') },
    replies: {
      200: {
        description: 'The record of the pass.',
        body: PassRecord,
        headers: ['Gatepass-Bookmark'],
        examples: { revoking: { summary: 'Accepted, not revoked on chain yet', value: ethereum.revoking } },
      },
    },
    refuses: ['invalid_request', 'unknown_network', 'invalid_wallet', 'pass_not_found', 'pass_rejected'],
  },
  syncPass: {
    summary: 'Read a pass from the chain now, and adopt changes that others made',
    description:
      'The service sends no transaction and creates no pass. It returns the record without a new reading while a transaction of the service for this wallet is under way, and while the loss of the token is not final. If the chain cannot be read, a `REJECTED` pass is returned as it is. For any other pass, the response is 503.',
    replies: {
      200: {
        description: 'The record of the pass after the reading.',
        body: PassRecord,
        headers: ['Gatepass-Bookmark'],
        examples: { frozen: { summary: 'Frozen', value: solana.frozen } },
      },
    },
    refuses: ['unknown_network', 'invalid_wallet', 'network_not_enabled', 'pass_not_found', 'sync_quota_reached'],
  },
  issuePasses: {
    summary: 'Issue up to 100 passes',
    description:
      'Each item is like a single issuance, and its result is the response that the single request would get. A refused item stops no other item. One wallet listed twice is one pass. These issuances wait behind single ones, whose users may wait for their passes.',
    request: {
      body: IssueManyRequest,
      examples: {
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
    },
    replies: {
      200: {
        description: 'The results, in the order of the items.',
        body: ItemResults,
        headers: ['Gatepass-Bookmark'],
        examples: {
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
      },
    },
    itemRefuses: ISSUE_REFUSALS,
  },
  updatePasses: {
    summary: 'Change up to 100 passes',
    description:
      'Each item is like a single PATCH, and its result is the response that the single request would get. A refused item stops no other item. One pass listed twice is changed once. Freezing and revoking go first, as in single requests.',
    request: {
      body: UpdateManyRequest,
      examples: {
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
    },
    replies: {
      200: {
        description: 'The results, in the order of the items.',
        body: ItemResults,
        headers: ['Gatepass-Bookmark'],
        examples: {
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
      },
    },
    itemRefuses: UPDATE_REFUSALS,
  },
};
