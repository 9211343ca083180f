import * as v from 'valibot';
import { expect } from 'vitest';

/** Checks of problem documents (RFC 9457), for every test that expects a refusal. */

/** The status of each problem code. The service has its own table, so a change of either table fails a test. */
const STATUS_OF = {
  invalid_json: 400,
  invalid_request: 400,
  unknown_network: 400,
  invalid_wallet: 400,
  network_not_enabled: 400,
  network_ended: 400,
  verdicts_not_enabled: 400,
  token_missing: 401,
  token_invalid: 401,
  insufficient_scope: 403,
  client_unknown: 403,
  partner_suspended: 403,
  network_not_allowed: 403,
  another_person_required: 403,
  not_found: 404,
  pass_not_found: 404,
  subject_not_found: 404,
  webhook_not_found: 404,
  partner_not_found: 404,
  gatekeeper_network_not_found: 404,
  method_not_allowed: 405,
  body_timeout: 408,
  pass_frozen: 409,
  pass_revoked: 409,
  pass_rejected: 409,
  pass_expired: 409,
  expiry_differs: 409,
  reference_differs: 409,
  subject_differs: 409,
  subject_required: 409,
  subject_limit_reached: 409,
  subject_frozen: 409,
  subject_revoked: 409,
  issued_by_another_gatekeeper: 409,
  webhook_limit_reached: 409,
  partner_exists: 409,
  organization_taken: 409,
  shard_differs: 409,
  contract_differs: 409,
  sandbox_differs: 409,
  sandbox_full: 409,
  public_networks_limit_reached: 409,
  webhook_disabled_by_operator: 409,
  approval_not_valid: 409,
  cursor_expired: 410,
  body_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  quota_reached: 429,
  change_quota_reached: 429,
  room_quota_reached: 429,
  sync_quota_reached: 429,
  pass_change_limit_reached: 429,
  replay_quota_reached: 429,
  waiting_limit_reached: 429,
  internal_error: 500,
  temporarily_unavailable: 503,
  not_configured: 503,
  not_fresh_enough: 503,
} as const;

export type ProblemCode = keyof typeof STATUS_OF;

/** The codes of problems that name the invalid fields. */
const NAMES_FIELDS: readonly ProblemCode[] = ['invalid_request', 'invalid_wallet'];

/** The header that a client needs in addition to the problem document, by status. */
const NEEDED_HEADER: Readonly<Record<number, [name: string, form: RegExp]>> = {
  401: ['www-authenticate', /^Bearer( |$)/],
  403: ['www-authenticate', /^Bearer( |$)/],
  405: ['allow', /^[A-Z]+(, [A-Z]+)*$/],
  429: ['retry-after', /^[1-9]\d*$/],
  503: ['retry-after', /^[1-9]\d*$/],
};

const text = v.pipe(v.string(), v.nonEmpty());
const Problem = v.strictObject({
  type: text,
  title: text,
  status: v.number(),
  detail: text,
  code: v.picklist(Object.keys(STATUS_OF) as ProblemCode[]),
  requestId: text,
  errors: v.optional(v.array(v.strictObject({ pointer: v.pipe(v.string(), v.regex(/^(\/|$)/)), detail: text }))),
  oldest: v.optional(v.number()),
  rule: v.optional(
    v.strictObject({
      name: v.picklist(['subjectMaxPasses', 'subjectMaxPassesPerNetwork']),
      maximum: v.number(),
      passes: v.array(v.strictObject({ chain: v.strictObject({ type: text, network: text }), walletAddress: text })),
    }),
  ),
});
export type Problem = v.InferOutput<typeof Problem>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The details that a test expects of a problem. The problem must contain a string and match a pattern. */
export interface ProblemDetails {
  /** The detail of the whole problem. */
  readonly detail?: string | RegExp;
  /** One of the invalid fields, as a JSON pointer. */
  readonly pointer?: string;
  /** The detail of the field at `pointer`. */
  readonly fieldDetail?: RegExp;
  /** All invalid fields, in any order. */
  readonly pointers?: readonly string[];
  /** The value of Retry-After. */
  readonly retryAfter?: string;
}

/** Checks the whole reply as a problem with this code, and returns its document. */
export function expectProblem(reply: Reply, code: ProblemCode, details: ProblemDetails = {}): Problem {
  expect(reply.status, `the status of ${code}: ${reply.text}`).toBe(STATUS_OF[code]);
  const problem = expectProblemDocument(reply);
  expect(problem.code).toBe(code);
  const { detail, pointer, fieldDetail = /./, pointers, retryAfter } = details;
  const { errors = [] } = problem;
  if (detail !== undefined) expect(problem.detail).toMatch(detail);
  if (pointer !== undefined) {
    expect(errors, code).toContainEqual({ pointer, detail: expect.stringMatching(fieldDetail) });
  }
  if (pointers !== undefined) {
    expect(errors.map((each) => each.pointer).toSorted(), code).toEqual(pointers.toSorted());
  }
  if (retryAfter !== undefined) expect(reply.headers.get('retry-after')).toBe(retryAfter);
  return problem;
}

/** Checks the rules for every problem, and returns its document. */
export function expectProblemDocument(reply: Reply): Problem {
  expectProblemHeaders(reply);
  const problem = v.parse(Problem, JSON.parse(reply.text));
  const { type, status, code, requestId, errors } = problem;
  expect(status).toBe(reply.status);
  expect(status, `the status of ${code}`).toBe(STATUS_OF[code]);
  expect(type).toBe(`urn:gatepass:problem:${code}`);
  expect(requestId).toBe(reply.headers.get('x-request-id'));
  if (NAMES_FIELDS.includes(code)) expect(errors ?? [], `${code} names fields`).not.toHaveLength(0);
  return problem;
}

/** Checks the headers of a problem. A reply to HEAD has only these. */
export function expectProblemHeaders({ status, headers }: Omit<Reply, 'text'>): void {
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
  expect(headers.get('x-request-id'), 'X-Request-Id').toMatch(/^\S+$/);
  const [header, form] = NEEDED_HEADER[status] ?? [];
  if (header && form) expect(headers.get(header) ?? '', `${header} of a ${status}`).toMatch(form);
}
