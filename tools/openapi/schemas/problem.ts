import * as v from 'valibot';
import { PROBLEMS } from '../../../src/http/protocol/problem.ts';
import {
  annotate,
  chainName,
  countField,
  EXAMPLE,
  extensibleEnum,
  networkName,
  proseField,
  stringField,
  walletAddress,
} from '../fields.ts';

/** The body of a refusal. */

const CODES = Object.keys(PROBLEMS);
const STATUSES = [...new Set(Object.values(PROBLEMS).map(({ status }) => status))];

export const FieldError = v.pipe(
  v.object({
    pointer: stringField(
      'A JSON pointer (RFC 6901) into the body, or the name of a path or query parameter, or of a check or a variable of the service, after a slash. Empty: the whole body or query.',
      '/walletAddress',
      { pattern: '^(/|$)' },
    ),
    detail: proseField('The rule that the field violates.', 'is required'),
  }),
  v.description(
    'A field that is invalid, and the rule that it violates; or a check of the service that failed, or a variable of its configuration that is missing or wrong.',
  ),
);

export const ReachedRule = v.pipe(
  v.object({
    name: extensibleEnum(['subjectMaxPasses', 'subjectMaxPassesPerNetwork'], 'The rule.'),
    maximum: countField('The number of passes that it allows.', 1),
    passes: v.pipe(
      v.array(
        v.pipe(
          v.object({
            chain: v.pipe(
              v.object({ type: chainName, network: networkName }),
              v.description('The chain and its network.'),
            ),
            walletAddress,
          }),
          v.description('A pass that counts.'),
        ),
      ),
      v.maxLength(20),
      v.description('The first passes of the subject that count.'),
    ),
  }),
  v.description('The rule that allows no further pass of the subject. Only with `subject_limit_reached`.'),
);

export const Problem = v.pipe(
  v.object({
    type: stringField('The kind of problem: a URN that ends with the code.', 'urn:gatepass:problem:invalid_request', {
      format: 'uri',
    }),
    title: proseField('The kind of problem in a few words.', 'Invalid request'),
    status: v.pipe(
      v.number(),
      v.integer(),
      v.minValue(Math.min(...STATUSES)),
      v.maxValue(Math.max(...STATUSES)),
      annotate('The HTTP status of the response.', 400),
    ),
    detail: proseField(
      'A text for people that names the fault and the remedy. It may change with a release.',
      'Some fields of the request are invalid. Correct the fields that "errors" lists.',
    ),
    code: extensibleEnum(
      CODES,
      'The kind of problem, for programs. Codes may be added, but never change.',
      'invalid_request',
    ),
    requestId: stringField('The id of the request in the log of the service.', EXAMPLE.requestId, {
      format: 'uuid',
    }),
    errors: v.optional(
      v.pipe(
        v.array(FieldError),
        v.minLength(1),
        v.maxLength(20),
        v.description('The invalid fields of the request. Absent if the problem is not about fields.'),
      ),
    ),
    oldest: v.optional(
      countField('The oldest sequence that the feed has, or will have. Only with `cursor_expired`.', 48_211),
    ),
    rule: v.optional(ReachedRule),
  }),
  v.description('The reason why a request is refused: a problem document (RFC 9457).'),
);
