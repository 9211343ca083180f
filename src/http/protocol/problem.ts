import type { ReachedRule } from '../../pass/subject-changes.ts';

/** Errors on the wire: RFC 9457 problem documents. The codes are append-only. Each detail says what is wrong and what to do. */

export const PROBLEMS = {
  invalid_json: {
    status: 400,
    title: 'Malformed JSON',
    detail: 'The body is not valid JSON. Send one JSON value in UTF-8.',
  },
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    detail: 'Some fields of the request are invalid. Correct the fields that "errors" lists.',
  },
  unknown_network: {
    status: 400,
    title: 'Unknown network',
    detail: 'The chain or the network is unknown. Use a name that the API reference lists.',
  },
  invalid_wallet: {
    status: 400,
    title: 'Invalid wallet address',
    detail: 'The wallet address is malformed. Send it in the form that "errors" describes.',
  },
  network_not_enabled: {
    status: 400,
    title: 'Network not enabled',
    detail: 'The network is not enabled in this service. Use another one, or ask the operator to enable it.',
  },
  network_ended: {
    status: 400,
    title: 'Network ended',
    detail:
      'The network has ended, so nothing new reaches its chain. Use another network. You can still read, freeze and revoke its passes.',
  },
  verdicts_not_enabled: {
    status: 400,
    title: 'Signed verdicts not enabled',
    detail: 'The service has no key that signs verdicts. Ask without a signature, or ask the operator for a key.',
  },
  token_missing: {
    status: 401,
    title: 'Access token missing',
    detail: 'The request has no access token. Send "Authorization: Bearer <access token>".',
  },
  token_invalid: {
    status: 401,
    title: 'Access token not accepted',
    detail: 'The access token is not valid. Fetch a new one.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    detail: 'The access token lacks the scope of this operation. Request a token with that scope.',
  },
  client_unknown: {
    status: 403,
    title: 'Unknown client',
    detail: "The token's client is not registered as a partner. Ask the operator to register it.",
  },
  partner_suspended: {
    status: 403,
    title: 'Partner suspended',
    detail: 'The operator has suspended this partner. Ask the operator for the reason.',
  },
  network_not_allowed: {
    status: 403,
    title: 'Network not allowed',
    detail: 'This partner may not issue passes on the network. Use another one, or ask the operator to allow it.',
  },
  another_person_required: {
    status: 403,
    title: 'Another person required',
    detail: 'Only a person who signed in to the console may decide, and not the one who asked.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    detail: 'No operation has this path. Check the path and the base URL.',
  },
  pass_not_found: {
    status: 404,
    title: 'Pass not found',
    detail: 'The wallet has no pass on this network. Issue one with POST.',
  },
  subject_not_found: {
    status: 404,
    title: 'Subject not found',
    detail: 'No pass of the gatekeeper network has this subject. Name it when you issue a pass, or with PATCH.',
  },
  webhook_not_found: {
    status: 404,
    title: 'Webhook not found',
    detail: 'The gatekeeper network has no webhook with this id. GET /webhooks lists its webhooks.',
  },
  partner_not_found: {
    status: 404,
    title: 'Partner not found',
    detail: 'No partner has this client id. GET /admin/partners lists the partners.',
  },
  gatekeeper_network_not_found: {
    status: 404,
    title: 'Gatekeeper network not found',
    detail: 'No partner has this gatekeeper network. GET /admin/partners lists the partners.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    detail: 'The path does not support this method. Use one that the header Allow lists.',
  },
  body_timeout: {
    status: 408,
    title: 'Body not received in time',
    detail: 'The body did not arrive within 10 seconds. Send the request again.',
  },
  pass_frozen: {
    status: 409,
    title: 'Pass frozen',
    detail: "This wallet's pass is frozen. Unfreeze it with PATCH.",
  },
  pass_revoked: {
    status: 409,
    title: 'Pass revoked',
    detail: "The pass is revoked and cannot be issued again or changed. A partner's revocation is final.",
  },
  pass_rejected: {
    status: 409,
    title: 'Pass rejected',
    detail:
      'The issuance failed, so there is no token to change. The last event gives the reason. POST tries the issuance again.',
  },
  pass_expired: {
    status: 409,
    title: 'Pass expired',
    detail:
      'The pass has expired, and passes of this partner have no default lifetime. Send a new expiryTimestamp with POST or PATCH.',
  },
  expiry_differs: {
    status: 409,
    title: 'Expiry differs',
    detail:
      'The pass was requested with another expiry or without one, and it has not expired. Change its expiry with PATCH.',
  },
  reference_differs: {
    status: 409,
    title: 'Reference differs',
    detail: 'The pass has another reference or none. Change it with PATCH, or send none.',
  },
  subject_differs: {
    status: 409,
    title: 'Subject differs',
    detail: 'The pass has another subject or none. Change it with PATCH: remove the old one first.',
  },
  subject_required: {
    status: 409,
    title: 'Subject required',
    detail: 'A rule of the gatekeeper network requires a subject: an issuance must name one, and a pass keeps its own.',
  },
  subject_limit_reached: {
    status: 409,
    title: 'Subject has enough passes',
    detail: 'A rule allows no further pass of the subject. Revoke one of its passes first.',
  },
  subject_frozen: {
    status: 409,
    title: 'Subject frozen',
    detail: 'The subject of the pass is frozen. Unfreeze it with PATCH /subjects/{subject}.',
  },
  subject_revoked: {
    status: 409,
    title: 'Subject revoked',
    detail: 'The subject of the pass is revoked, which is final.',
  },
  issued_by_another_gatekeeper: {
    status: 409,
    title: 'Issued by another gatekeeper',
    detail:
      'On this chain, only the key that issued the pass can make this change, and this service cannot sign with it. You can still revoke the pass.',
  },
  webhook_limit_reached: {
    status: 409,
    title: 'Too many webhooks',
    detail: 'The gatekeeper network has five webhooks. Delete one with DELETE /webhooks/{id}.',
  },
  webhook_disabled_by_operator: {
    status: 409,
    title: 'Webhook disabled by the operator',
    detail:
      'The operator has disabled this webhook, or another one with the same host. Ask the operator for the reason: only the operator enables it again.',
  },
  partner_exists: {
    status: 409,
    title: 'Partner exists',
    detail: 'A partner already has this client id. Change it with PATCH, or choose another id.',
  },
  organization_taken: {
    status: 409,
    title: 'Organization taken',
    detail: 'Another partner has this organization. Remove it there first.',
  },
  shard_differs: {
    status: 409,
    title: 'Other shard',
    detail: 'The passes of this gatekeeper network are in another shard, and stay there. Omit the shard.',
  },
  contract_differs: {
    status: 409,
    title: 'Other contract',
    detail: 'The passes of this gatekeeper network are in another contract, and stay there. Omit the contract.',
  },
  sandbox_differs: {
    status: 409,
    title: 'Sandbox differs',
    detail: 'A client would enter or leave a sandbox. Register another client.',
  },
  sandbox_full: {
    status: 409,
    title: 'Sandbox full',
    detail:
      'The sandbox has 10,000 passes. It deletes each one 30 days after its issuance. Existing passes still work.',
  },
  public_networks_limit_reached: {
    status: 409,
    title: 'Too many public gatekeeper networks',
    detail: 'No more gatekeeper networks may have public checks. Switch them off for another one.',
  },
  approval_not_valid: {
    status: 409,
    title: 'Approval not valid',
    detail: 'The approval does not allow this. GET /admin/approvals lists the approvals.',
  },
  cursor_expired: {
    status: 410,
    title: 'Cursor expired',
    detail:
      'The feed no longer has the events after this cursor. Continue after the sequence before "oldest", and read the passes again.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    detail: 'The body is larger than 16 KiB, or 320 KiB if it has items. Send a smaller one.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    detail: 'The body is not declared as JSON. Send it with "Content-Type: application/json".',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    detail: 'Too many requests within a few seconds. Try again after the time in Retry-After.',
  },
  quota_reached: {
    status: 429,
    title: 'Daily quota reached',
    detail: 'The partner has used its quota of issuances for today. Try again after midnight UTC.',
  },
  change_quota_reached: {
    status: 429,
    title: 'Daily change quota reached',
    detail:
      'The partner has used its quota of changes for today. Try again after midnight UTC. You can still revoke passes.',
  },
  room_quota_reached: {
    status: 429,
    title: 'Daily room used up',
    detail:
      'Your gatekeeper network has stored as many changes without a transaction as it may today. Try again after midnight UTC. You can still freeze and revoke passes.',
  },
  sync_quota_reached: {
    status: 429,
    title: 'Daily sync quota reached',
    detail:
      'Your gatekeeper network has read as many passes from the chain as it may today. Changes by others still show by themselves. Try again after midnight UTC.',
  },
  pass_change_limit_reached: {
    status: 429,
    title: 'Pass changed too often',
    detail:
      'The pass has reached its limit of changes for today. Try again after midnight UTC. You can still revoke it.',
  },
  replay_quota_reached: {
    status: 429,
    title: 'Daily replay quota reached',
    detail:
      'The webhooks of your gatekeeper network may replay fewer events today. Replay fewer, read them with GET /events, or try again after midnight UTC.',
  },
  waiting_limit_reached: {
    status: 429,
    title: 'Too much work waiting',
    detail:
      'Too many changes of the partner wait on this network. Try again after the time in Retry-After. You can still freeze and revoke passes.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    detail:
      'The service failed and recorded the error. Try again; if it fails again, send the request id to the operator.',
  },
  temporarily_unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    detail: 'A part of the service does not answer. Try again after the time in Retry-After.',
  },
  not_configured: {
    status: 503,
    title: 'Not configured',
    detail:
      'The configuration of the service is missing or wrong. Tell the operator: the health check names the variables.',
  },
  not_fresh_enough: {
    status: 503,
    title: 'Not fresh enough',
    detail:
      'The service has not followed the chain up to the time that maxAge demands. Try again after the time in Retry-After.',
  },
} as const satisfies Record<string, { status: number; title: string; detail: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** A fault of one field. `pointer` is a JSON pointer (RFC 6901) into the body, or names a path parameter or a check of the service. */
export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
}

/** The reason why a request is refused, as a value. `problemOf` turns it into a problem document. */
export interface Refusal {
  readonly code: ProblemCode;
  /** Replaces the detail of the code. */
  readonly detail?: string | undefined;
  readonly errors?: readonly FieldError[] | undefined;
  /** With `cursor_expired`: the oldest sequence that the feed has, or will have. */
  readonly oldest?: number | undefined;
  /** With `subject_limit_reached`. */
  readonly rule?: ReachedRule | undefined;
  /** With a 5xx status: an unknown caller caused it, and the service has no fault. */
  readonly isCallersDoing?: boolean | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export const refuse = (code: ProblemCode, more: Omit<Refusal, 'code'> = {}): Refusal => ({ code, ...more });

/** Refuses a request because of one field. */
export const refuseField = (pointer: string, detail: string): Refusal =>
  refuse('invalid_request', { errors: [{ pointer, detail }] });

export function problemOf({ code, detail, headers, isCallersDoing: _, ...more }: Refusal, requestId: string) {
  const problem = PROBLEMS[code];
  const body = JSON.stringify({
    type: `urn:gatepass:problem:${code}`,
    title: problem.title,
    status: problem.status,
    detail: detail ?? problem.detail,
    code,
    requestId,
    ...more,
  });
  return { status: problem.status, body, headers: { 'content-type': 'application/problem+json', ...headers } };
}

/** Refuses because of a transient error. `detail` replaces that of the problem code. */
export function refuseUnavailable(retryAfterSeconds = 5, detail?: string): Refusal {
  return refuse('temporarily_unavailable', { detail, headers: { 'retry-after': String(retryAfterSeconds) } });
}

interface Challenge {
  readonly error?: 'invalid_token' | 'insufficient_scope';
  readonly error_description?: string;
  readonly scope?: string | undefined;
  readonly resource_metadata?: string | undefined;
}

/** Returns the value of `WWW-Authenticate` (RFC 6750 §3, RFC 9728 §5.1). */
export function wwwAuthenticate(parts: Challenge): string {
  const given = Object.entries({ realm: 'gatepass', ...parts }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${quotable(value)}"`],
  );
  return `Bearer ${given.join(', ')}`;
}

/** Replaces characters that RFC 6750 §3 forbids, because a description may repeat names from the token. */
const quotable = (text: string) => text.replaceAll(/[^ !#-[\]-~]/g, "'");

type Forbidden =
  | 'insufficient_scope'
  | 'client_unknown'
  | 'partner_suspended'
  | 'network_not_allowed'
  | 'another_person_required';

/** Refuses an action that the bearer of the token may not perform. RFC 6750 §3.1 has one error code for all reasons. */
export function refuseForbidden(code: Forbidden, { detail, scope }: { detail?: string; scope?: string } = {}): Refusal {
  return refuse(code, {
    detail,
    headers: { 'www-authenticate': wwwAuthenticate({ error: 'insufficient_scope', scope }) },
  });
}
