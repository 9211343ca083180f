import { GatepassProblem } from '@gatepass/client';
import { describe, expect, it } from 'vitest';
import { describeFault } from '../../../../packages/cli/src/failure.ts';
import { ADDITIONS, REMEDIES, wordsOf } from '../../../../packages/cli/src/refusal-words.ts';
import { PROBLEMS, type ProblemCode } from '../../../../src/http/protocol/problem.ts';

/** Refusals of requests that no partner makes. */
const OF_OTHERS: readonly ProblemCode[] = [
  'partner_not_found',
  'gatekeeper_network_not_found',
  'partner_exists',
  'approval_not_valid',
];
const METHOD = /\b(?:GET|POST|PATCH|DELETE|PUT)\b/;

const problemOf = (code: string, detail: string, errors?: object[]) =>
  new GatepassProblem(new Response(null, { status: 409, headers: { 'x-request-id': 'an-id' } }), {
    code,
    detail,
    requestId: 'an-id',
    ...(errors && { errors }),
  });

describe('a refusal in the words of the command', () => {
  const codes = Object.keys(PROBLEMS) as ProblemCode[];

  it('replaces or completes each text of the service that names a request of the API', () => {
    const withRequest = codes.filter((code) => METHOD.test(PROBLEMS[code].detail) && !OF_OTHERS.includes(code));
    const inWords = [...Object.keys(REMEDIES), ...Object.keys(ADDITIONS)];
    expect(withRequest.filter((code) => !inWords.includes(code))).toEqual([]);
    expect(inWords.filter((code) => !codes.includes(code as ProblemCode))).toEqual([]);
    expect(Object.values(REMEDIES).filter((words) => METHOD.test(words))).toEqual([]);
  });

  it('names the command that helps, with the invalid fields and the id of the request', () => {
    expect(describeFault(problemOf('pass_frozen', PROBLEMS.pass_frozen.detail))).toBe(
      "409 pass_frozen: This wallet's pass is frozen. Unfreeze it with `gatepass unfreeze`. Request id: an-id",
    );
    expect(describeFault(problemOf('invalid_request', 'no.', [{ pointer: '/a', detail: 'is wrong' }]))).toBe(
      '409 invalid_request: no. (/a is wrong) Request id: an-id',
    );
    const tooFar = [{ pointer: '/advanceSeconds', detail: 'must be at most 9' }];
    expect(describeFault(problemOf('invalid_request', 'no.', tooFar))).toContain('(the duration must be at most 9)');
  });

  it('keeps the figures of a text that has some, and every text of an unknown code', () => {
    expect(wordsOf({ code: 'replay_quota_reached', detail: '7 left.' })).toBe(
      '7 left. `gatepass events` is GET /events.',
    );
    expect(wordsOf({ code: 'constructor', detail: 'unknown' })).toBe('unknown');
  });
});
