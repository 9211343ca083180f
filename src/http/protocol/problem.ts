/** Errors on the wire: RFC 9457 problem documents. The codes are append-only. */

export const PROBLEMS = {
  invalid_json: { status: 400, title: 'Malformed JSON', detail: 'The body is not valid JSON.' },
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    detail: 'The request does not have the form it must have.',
  },
  unknown_network: { status: 400, title: 'Unknown network', detail: 'There is no such chain and network.' },
  invalid_wallet: { status: 400, title: 'Invalid wallet address', detail: 'The wallet address is malformed.' },
  network_not_enabled: {
    status: 400,
    title: 'Network not enabled',
    detail: 'That network is not enabled in this service at present.',
  },
  token_missing: { status: 401, title: 'Access token missing', detail: 'Send "Authorization: Bearer <access token>".' },
  token_invalid: { status: 401, title: 'Access token not accepted', detail: 'The access token is not valid.' },
  insufficient_scope: { status: 403, title: 'Insufficient scope', detail: 'The access token lacks the scope.' },
  client_unknown: { status: 403, title: 'Unknown client', detail: 'The client is not registered as a partner.' },
  partner_suspended: { status: 403, title: 'Partner suspended', detail: 'The partner is suspended.' },
  network_not_allowed: {
    status: 403,
    title: 'Network not allowed',
    detail: 'The partner may not issue passes on that network.',
  },
  not_found: { status: 404, title: 'Not found', detail: 'There is nothing at this path.' },
  pass_not_found: { status: 404, title: 'Pass not found', detail: 'The wallet has no pass on that chain and network.' },
  method_not_allowed: { status: 405, title: 'Method not allowed', detail: 'The path does not take this method.' },
  body_timeout: {
    status: 408,
    title: 'Body not received in time',
    detail: 'The body did not arrive within 10 seconds. Send the request again.',
  },
  pass_frozen: {
    status: 409,
    title: 'Pass frozen',
    detail: 'The pass is there, and frozen: it is not issued again but unfrozen, with PATCH.',
  },
  pass_revoked: {
    status: 409,
    title: 'Pass revoked',
    detail: 'The pass was revoked, and that is final: it cannot be issued again or changed.',
  },
  pass_rejected: {
    status: 409,
    title: 'Pass rejected',
    detail: 'The chain refused the issuance, so there is nothing to change. Its last event says why; POST tries again.',
  },
  pass_expired: {
    status: 409,
    title: 'Pass expired',
    detail: 'The pass has expired, and passes of this partner have no default lifetime: set a new expiry with PATCH.',
  },
  issued_by_another_gatekeeper: {
    status: 409,
    title: 'Issued by another gatekeeper',
    detail:
      'On this chain only the key that issued a pass can freeze and unfreeze it, and this service does not have it.',
  },
  body_too_large: { status: 413, title: 'Body too large', detail: 'The body is larger than 16 KiB.' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    detail: 'The body must be application/json.',
  },
  rate_limited: { status: 429, title: 'Too many requests', detail: 'Try again after the time in Retry-After.' },
  quota_reached: {
    status: 429,
    title: 'Daily quota reached',
    detail: 'The passes that this partner may issue in a day are used up. The next day begins at midnight UTC.',
  },
  change_quota_reached: {
    status: 429,
    title: 'Daily change quota reached',
    detail:
      'The partner has used up its changes of the day. The next day begins at midnight UTC. A pass can always be revoked.',
  },
  pass_change_limit_reached: {
    status: 429,
    title: 'Pass changed too often',
    detail:
      'The pass was changed as often as it may be in a day. The next day begins at midnight UTC. It can always be revoked.',
  },
  waiting_limit_reached: {
    status: 429,
    title: 'Too much work waiting',
    detail:
      'Too many requests of the partner wait to be carried out on this network. Try again after the time in Retry-After. Passes can always be frozen and revoked.',
  },
  internal_error: { status: 500, title: 'Internal error', detail: 'Something went wrong here. It has been recorded.' },
  temporarily_unavailable: { status: 503, title: 'Temporarily unavailable', detail: 'Try again in a moment.' },
} as const satisfies Record<string, { status: number; title: string; detail: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** What is wrong with one field: a JSON pointer (RFC 6901) into the body, or to a path parameter by its name. */
export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
}

/** Why a request is not granted, as a value. `problemOf` puts it on the wire. */
export interface Refusal {
  readonly code: ProblemCode;
  /** In place of the code's own. */
  readonly detail?: string | undefined;
  readonly errors?: readonly FieldError[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function refuse(code: ProblemCode, more: Omit<Refusal, 'code'> = {}): Refusal {
  return { code, ...more };
}

/** The problem document of a refusal. */
export function problemOf({ code, detail, errors, headers }: Refusal, requestId: string) {
  const problem = PROBLEMS[code];
  const body = JSON.stringify({
    type: `urn:gatepass:problem:${code}`,
    title: problem.title,
    status: problem.status,
    detail: detail ?? problem.detail,
    code,
    requestId,
    ...(errors ? { errors } : {}),
  });
  return { status: problem.status, body, headers: { 'content-type': 'application/problem+json', ...headers } };
}
