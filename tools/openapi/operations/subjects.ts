import { annotate, EXAMPLE } from '../fields.ts';
import type { Operations } from '../operation.ts';
import { STAGES } from '../pass-examples.ts';
import { ChangedSubject, Rules, RulesRequest, Subject, SubjectChangeRequest } from '../schemas/subjects.ts';

/** Operations of partners on subjects, and on the rules for them. */

const FREEZE = {
  state: 'FROZEN',
  requestId: EXAMPLE.requestId,
  requestedAt: '2026-11-20T11:03:45.123Z',
  total: 1,
  done: 0,
  refused: {},
};
const ACCEPTED = { subject: EXAMPLE.subject, state: 'FROZEN', passes: 1, requests: [FREEZE] };
const REVOKED = { ...ACCEPTED, state: 'REVOKED', requests: [{ ...FREEZE, state: 'REVOKED' }] };
const FOLLOWED = { ...FREEZE, done: 1, finishedAt: '2026-11-20T11:03:45.456Z' };
const RULES = { subjectMaxPasses: 1, subjectRequired: true };

export const subjectOperations: Operations = {
  getSubject: {
    summary: 'Fetch a subject with its passes',
    description:
      'Returns the state of the subject, the progress of its newest changes, and a page of its passes on all networks. `POST /pass` with `filter.subject` finds the same passes. It is a large read (20 in 10 seconds). A subject of another gatekeeper network gives the same response as a missing one.',
    query: {
      after: annotate('Continues the list of passes: the `next` of the previous response.', EXAMPLE.id),
      limit: annotate('The maximum number of passes in the response.', 20),
    },
    replies: {
      200: {
        description: 'The subject.',
        body: Subject,
        headers: ['Gatepass-Bookmark'],
        examples: {
          frozen: {
            summary: 'Frozen',
            value: {
              ...ACCEPTED,
              passes: { FROZEN: 1 },
              requests: [FOLLOWED],
              records: [{ ...STAGES.ethereum.frozen, subject: EXAMPLE.subject }],
            },
          },
        },
      },
    },
    refuses: ['invalid_request', 'subject_not_found'],
  },
  updateSubject: {
    summary: 'Freeze, unfreeze, renew or revoke all passes of a subject',
    description:
      'The service stores the change and responds. All passes of the subject follow within seconds, on all networks, and their transactions as those of single changes: freezing and revoking go first. `GET /subjects/{subject}` shows the progress. While the subject is frozen, no wallet gets a pass of it, no pass of it can be unfrozen with PATCH or lose the subject, and a pass that is being issued ends frozen. Unfreezing the subject unfreezes only what its freeze has frozen. A newer change replaces an unfinished one. Renewing gives each pass that is neither revoked nor rejected the new expiry, an expired one only as far as the rules allow.',
    request: {
      body: SubjectChangeRequest,
      examples: {
        freeze: { summary: 'Freeze', value: { state: 'FROZEN', reason: 'case 4711' } },
        unfreeze: { summary: 'Unfreeze', value: { state: 'ACTIVE' } },
        renew: { summary: 'Renew', value: { expiryTimestamp: EXAMPLE.expiry } },
      },
    },
    replies: {
      202: {
        description: 'The change is accepted.',
        body: ChangedSubject,
        examples: { freezing: { summary: 'Accepted', value: ACCEPTED } },
      },
    },
    refuses: ['subject_not_found', 'subject_revoked', 'room_quota_reached'],
  },
  revokeSubject: {
    summary: 'Revoke all passes of a subject',
    description:
      'Does the same as PATCH with the state `REVOKED`, which is final: no wallet gets a pass of the subject again.',
    query: { reason: annotate('Why, for the audit trail: at most 200 characters. No dApp sees it.', 'case 4711') },
    replies: {
      202: {
        description: 'The revocation is accepted.',
        body: ChangedSubject,
        examples: { revoking: { summary: 'Accepted', value: REVOKED } },
      },
    },
    refuses: ['invalid_request', 'subject_not_found', 'room_quota_reached'],
  },
  getRules: {
    summary: 'Read the rules of the gatekeeper network',
    description: 'Shows the rules that the database has.',
    replies: {
      200: {
        description: 'The rules.',
        body: Rules,
        examples: { rules: { summary: 'One pass per person', value: RULES } },
      },
    },
  },
  changeRules: {
    summary: 'Change the rules of the gatekeeper network',
    description:
      'Every location follows within 60 seconds. A rule concerns only later requests: a pass that exists stays, also if a subject has more of them than a new rule allows.',
    request: {
      body: RulesRequest,
      examples: {
        one: { summary: 'One pass per person', value: RULES },
        none: { summary: 'Any number', value: { subjectMaxPasses: null } },
      },
    },
    replies: {
      200: {
        description: 'All rules after the change.',
        body: Rules,
        examples: { rules: { summary: 'One pass per person', value: RULES } },
      },
    },
    refuses: ['room_quota_reached'],
  },
};
