import * as v from 'valibot';
import { PROBLEMS } from '../protocol/problem.ts';
import { annotate, extensibleEnum, proseField, stringField } from './fields.ts';

/** The body of a refusal. Only the generator and tests load it. */

const CODES = Object.keys(PROBLEMS);
const STATUSES = [...new Set(Object.values(PROBLEMS).map(({ status }) => status))];

export const FieldError = v.pipe(
  v.object({
    pointer: stringField(
      'JSON pointer (RFC 6901) into the body, or to a parameter of the path or the query by its name; empty: the whole.',
      '/walletAddress',
      { pattern: '^(/|$)' },
    ),
    detail: proseField('What it must be.', 'is required'),
  }),
  v.description('What is wrong with one field.'),
);

export const Problem = v.pipe(
  v.object({
    type: stringField(
      'Names the kind of problem: a URN that ends with the code.',
      'urn:gatepass:problem:invalid_request',
      {
        format: 'uri',
      },
    ),
    title: proseField('The kind of problem in a few words.', 'Invalid request'),
    status: v.pipe(
      v.number(),
      v.integer(),
      v.minValue(Math.min(...STATUSES)),
      v.maxValue(Math.max(...STATUSES)),
      annotate('The HTTP status of the answer.', 400),
    ),
    detail: proseField('What is the matter, for people to read.', 'The request does not have the form it must have.'),
    code: extensibleEnum(CODES, 'What programs go by: codes are added, never changed.', 'invalid_request'),
    requestId: stringField('Names the request in the log of the service.', '5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11', {
      format: 'uuid',
    }),
    errors: v.optional(
      v.pipe(v.array(FieldError), v.minLength(1), v.maxLength(20), v.description('What is wrong with which field.')),
    ),
  }),
  v.description('Why a request is not granted (RFC 9457).'),
);
