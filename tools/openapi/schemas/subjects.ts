import * as v from 'valibot';
import { RulesBody, SubjectBody } from '../../../src/http/schemas/managing.ts';
import { PASS_STATES, WANTED_STATES } from '../../../src/pass/vocabulary.ts';
import { describe } from '../describe.ts';
import {
  annotate,
  countField,
  EXAMPLE,
  extensibleEnum,
  REASON_TEXT,
  SUBJECT_TEXT,
  stringField,
  unixSecondsField,
} from '../fields.ts';
import { PassRecord } from './passes.ts';

/** Requests and replies about subjects, and about the rules for their passes. */

export const SubjectName = stringField(SUBJECT_TEXT, EXAMPLE.subject, { pattern: '^[!-~]{1,64}$' });

export const SubjectChangeRequest = describe(SubjectBody, 'Either `state` or `expiryTimestamp`.', {
  state: annotate(
    'The state of the subject. `FROZEN` freezes all its passes, `ACTIVE` unfreezes those that its freeze has frozen, and `REVOKED` is final.',
    'FROZEN',
  ),
  expiryTimestamp: annotate('The new expiry of all its passes in Unix seconds, in the future.', EXAMPLE.expiry),
  reason: REASON_TEXT,
});

const MAX_TEXT = 'Only passes count whose `state` is `REQUESTED`, `ACTIVE` or `FROZEN`, and that have not expired.';
const RULE_TEXTS = {
  subjectMaxPasses: `The maximum number of passes of a subject on all networks. ${MAX_TEXT}`,
  subjectMaxPassesPerNetwork: `The maximum number of passes of a subject on each network. ${MAX_TEXT}`,
  subjectRequired: 'Whether each issuance must name a subject.',
};

export const RulesRequest = describe(RulesBody, 'The rules to change. An absent one stays, and `null` ends it.', {
  subjectMaxPasses: annotate(RULE_TEXTS.subjectMaxPasses, 1),
  subjectMaxPassesPerNetwork: annotate(RULE_TEXTS.subjectMaxPassesPerNetwork, 1),
  subjectRequired: annotate(RULE_TEXTS.subjectRequired, true),
  reason: REASON_TEXT,
});

export const Rules = v.pipe(
  v.object({
    subjectMaxPasses: v.optional(countField(`${RULE_TEXTS.subjectMaxPasses} Absent: no limit.`, 1)),
    subjectMaxPassesPerNetwork: v.optional(countField(`${RULE_TEXTS.subjectMaxPassesPerNetwork} Absent: no limit.`, 1)),
    subjectRequired: v.optional(v.pipe(v.boolean(), annotate(`${RULE_TEXTS.subjectRequired} Absent: no.`, true))),
  }),
  v.description('The rules of a gatekeeper network for the passes of a subject.'),
);

const numbersBy = (description: string, example: object) =>
  v.pipe(v.record(v.string(), v.pipe(v.number(), v.integer(), v.minValue(0))), annotate(description, example));

const time = (description: string) => stringField(description, '2026-11-20T11:03:45.123Z', { format: 'date-time' });

export const SubjectProgress = v.pipe(
  v.object({
    state: v.optional(
      extensibleEnum(WANTED_STATES, 'The requested state. Absent: the request was a renewal.', 'FROZEN'),
    ),
    expiryTimestamp: v.optional(unixSecondsField('The requested expiry.', EXAMPLE.expiry)),
    requestId: v.optional(
      stringField('The id of the request. `GET /audit` has its entry, and one of each pass.', EXAMPLE.requestId, {
        format: 'uuid',
      }),
    ),
    requestedAt: time('The time of the request.'),
    total: countField('The number of passes at the time of the request.', 3),
    done: countField('The number of passes that have followed, or had no need. The chain follows each of them.', 2),
    refused: numbersBy('The number of those that could not follow, by problem code.', {}),
    finishedAt: v.optional(time('The time when the last pass followed. Absent: some passes are left.')),
  }),
  v.description('A change of all passes of a subject, and how far it has come.'),
);

const OF_SUBJECT = {
  subject: SubjectName,
  state: extensibleEnum(WANTED_STATES, 'The state of the subject.', 'FROZEN'),
};
const requests = v.pipe(
  v.array(SubjectProgress),
  v.maxLength(2),
  v.description('The newest change of the state, and the newest renewal, as far as there was one.'),
);

export const ChangedSubject = v.pipe(
  v.object({ ...OF_SUBJECT, passes: countField('The number of passes that follow.', 3), requests }),
  v.description('A subject whose change is accepted.'),
);

export const Subject = v.pipe(
  v.object({
    ...OF_SUBJECT,
    passes: numbersBy(`The number of its passes by state: ${PASS_STATES.join(', ')}.`, { FROZEN: 2, REVOKED: 1 }),
    requests,
    records: v.pipe(v.array(PassRecord), v.maxLength(100), v.description('At most `limit` passes, newest first.')),
    next: v.optional(
      stringField('The place after this page: send it as `after`. Absent: no page follows.', EXAMPLE.id, {
        minLength: 1,
      }),
    ),
  }),
  v.description('A subject and a page of its passes.'),
);
