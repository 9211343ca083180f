import { GatepassProblem } from '@gatepass/client';
import { describe, expect, it } from 'vitest';
import { describeFault } from '../../../../packages/cli/src/failure.ts';
import { FIELDS, wordsOf } from '../../../../packages/cli/src/refusal-words.ts';
import { PROBLEMS, type ProblemCode } from '../../../../src/http/protocol/problem.ts';
import * as managing from '../../../../src/http/schemas/managing.ts';
import * as ofPasses from '../../../../src/http/schemas/requests.ts';

const requests = { ...ofPasses, ...managing };

/** Words of requests and answers, which a person at a terminal neither writes nor sees. */
const OF_THE_API =
  /\b(?:GET|HEAD|POST|PATCH|PUT|DELETE|JSON|API|[Hh]eader|[Bb]ody|[Pp]ath|[Ff]ields?|[Cc]ursor|maxAge|[a-z]+[A-Z]\w+|Content-Type|Authorization|Retry-After|Bearer|pointer)\b|"\w+"|\/items/;

const problemOf = (code: string, detail: string, errors: object[] = [], headers = {}) =>
  new GatepassProblem(new Response(null, { status: 409, headers: { 'x-request-id': 'an-id', ...headers } }), {
    code,
    detail,
    requestId: 'an-id',
    errors,
  });

describe('a refusal in the words of the command', () => {
  const codes = Object.keys(PROBLEMS) as ProblemCode[];

  it.each(codes)('%s has no word of the API', (code) => {
    const { detail } = PROBLEMS[code];
    const line = describeFault(problemOf(code, detail, [], { 'retry-after': '7' }));
    expect(line).toMatch(RegExp(`^409 ${code}: .+ Request id: an-id$`));
    expect(line).not.toMatch(OF_THE_API);
  });

  it('names the fields of all its requests as a person does', () => {
    const pointers = [
      ...[requests.IssueBody, requests.IssueItem, requests.UpdateBody, requests.UpdateItem, requests.PassFilter],
      ...[requests.EventsQuery, requests.UsageQuery, requests.WebhookBody, requests.WebhookPath, requests.ReplayBody],
      ...[requests.SubjectBody, requests.SubjectPath, requests.SubjectQuery],
      ...[requests.DeliveriesQuery, requests.ClockBody, requests.TriggerBody, requests.AuditQuery],
    ].flatMap((schema) => pointersIn(schema));
    expect(pointers.length).toBeGreaterThan(40);
    expect(pointers.filter((pointer) => !Object.hasOwn(FIELDS, pointer))).toEqual([]);
    expect(Object.values(FIELDS).filter((words) => OF_THE_API.test(words))).toEqual([]);
  });

  it('names the command that helps, with the invalid values and the id of the request', () => {
    expect(describeFault(problemOf('pass_frozen', PROBLEMS.pass_frozen.detail))).toBe(
      "409 pass_frozen: This wallet's pass is frozen. Unfreeze it with `gatepass unfreeze`. Request id: an-id",
    );
    const tooFar = [{ pointer: '/advanceSeconds', detail: 'must be at most 9' }];
    expect(describeFault(problemOf('invalid_request', PROBLEMS.invalid_request.detail, tooFar))).toBe(
      '409 invalid_request: The service refuses a value of this command. (the duration must be at most 9) Request id: an-id',
    );
    const wallet = { pointer: '/filter/walletPrefix', detail: 'cannot be combined with walletAddress' };
    const many = [wallet, { pointer: '/items/3/reference', detail: 'cannot be combined with other fields' }];
    expect(wordsOf(problemOf('invalid_wallet', PROBLEMS.invalid_wallet.detail, many))).toBe(
      'The wallet address is malformed. (the beginning of the wallet cannot be combined with --wallet) (the reference cannot be combined with other options)',
    );
  });

  it('names the rule that allows no further pass of a subject, and the wallets', () => {
    const passes = ['0xa', '0xb'].map((walletAddress) => ({
      walletAddress,
      chain: { type: 'ethereum', network: 'sepolia' },
    }));
    const refused = (name: string) => {
      const body = { code: 'subject_limit_reached', detail: 'any', requestId: 'a', rule: { name, maximum: 2, passes } };
      return wordsOf(new GatepassProblem(new Response(null, { status: 409 }), body));
    };
    // A server that is not the service may answer anything.
    for (const rule of [null, 'none', { passes: [null, {}] }])
      expect(wordsOf(new GatepassProblem(new Response(), { code: 'a', detail: 'b', requestId: 'c', rule }))).toMatch(
        /^b/,
      );
    const first = 'A rule of the gatekeeper network allows no further pass of the subject.';
    const wallets = '0xa on sepolia, 0xb on sepolia. Revoke one of them.';
    expect(refused('subjectMaxPasses')).toBe(`${first} It has at most 2: ${wallets}`);
    expect(refused('subjectMaxPassesPerNetwork')).toBe(`${first} It has at most 2 on a network: ${wallets}`);
  });

  it('says in how many seconds the command may run again', () => {
    const { detail } = PROBLEMS.rate_limited;
    expect(wordsOf(problemOf('rate_limited', detail, [], { 'retry-after': '10' }))).toBe(
      'Too many requests within a few seconds. Try again after 10 s.',
    );
    expect(wordsOf(problemOf('rate_limited', detail))).toBe(
      'Too many requests within a few seconds. Try again after a while.',
    );
  });

  it('keeps the names and figures of a text that has some, and every text of an unknown code', () => {
    const replay =
      'The replay counts as 9 events. Replay fewer, read them with GET /events, or try again after midnight UTC.';
    expect(wordsOf(problemOf('replay_quota_reached', replay))).toBe(
      'The replay counts as 9 events. Replay fewer, read them with `gatepass events`, or try again after midnight UTC.',
    );
    const scope = 'The access token lacks the scope "issue:pass". Request a token with that scope.';
    expect(wordsOf(problemOf('insufficient_scope', scope))).toBe(
      'The access token lacks the scope "issue:pass". Ask the operator to give it to your client, or name it in GATEPASS_SCOPE.',
    );
    expect(wordsOf(problemOf('constructor', 'unknown'))).toBe('unknown');
    expect(wordsOf(problemOf('of_a_later_release', 'Send the header.'))).toBe('Send the header.');
  });
});

interface Shape {
  readonly entries?: Readonly<Record<string, Shape>>;
  readonly wrapped?: Shape;
  readonly pipe?: readonly Shape[];
}

/** Returns the pointers to all fields that a schema has. */
function pointersIn(schema: unknown, pointer = ''): string[] {
  const { entries, wrapped } = schema as Shape;
  const inner = wrapped === undefined ? [] : pointersIn(wrapped, pointer);
  const fields = Object.entries(entries ?? {}).flatMap(([name, each]) => [
    `${pointer}/${name}`,
    ...pointersIn(each, `${pointer}/${name}`),
  ]);
  return [...new Set([...inner, ...fields])];
}
