import type { GatepassProblem, ProblemCode } from '@gatepass/client';

/**
 * The remedies of the command where those of the service name requests of the API. A test compares the list with the texts of the
 * service.
 */
export const REMEDIES: Readonly<Record<string, string>> = {
  not_found: 'No operation has this path. Check GATEPASS_URL: it needs the base path of the service.',
  pass_not_found: 'The wallet has no pass on this network. Issue one with `gatepass issue`.',
  webhook_not_found:
    'The gatekeeper network has no webhook with this id. `gatepass webhooks list` prints its webhooks.',
  pass_frozen: "This wallet's pass is frozen. Unfreeze it with `gatepass unfreeze`.",
  pass_rejected:
    'The issuance failed, so there is no token to change. `gatepass get` shows the reason, and `gatepass issue` tries the issuance again.',
  pass_expired:
    'The pass has expired, and passes of this partner have no default lifetime. Name a new expiry with --expires, in `gatepass issue` or `gatepass set-expiry`.',
  expiry_differs:
    'The pass was requested with another expiry or without one, and it has not expired. Change its expiry with `gatepass set-expiry`.',
  reference_differs:
    'The pass has another reference or none. Change it with `gatepass set-reference`, or leave out --reference and the column reference.',
  webhook_limit_reached: 'The gatekeeper network has five webhooks. Delete one with `gatepass webhooks remove`.',
};

/** Additions to texts of the service that have figures. */
export const ADDITIONS: Readonly<Record<string, string>> = {
  replay_quota_reached: '`gatepass events` is GET /events.',
};

/** The names that a person gives to these fields of requests. */
const FIELDS: Readonly<Record<string, string>> = {
  '/advanceSeconds': 'the duration',
  '/type': 'the event',
  '/walletAddress': 'the wallet',
  '/chain': 'the network',
  '/chain/network': 'the network',
  '/expiryTimestamp': 'the expiry',
  '/reference': 'the reference',
  '/reason': 'the reason',
};

/** Returns the text of a refusal in the words of the command. */
export function wordsOf({ code, detail }: { readonly code: ProblemCode; readonly detail: string }): string {
  if (Object.hasOwn(REMEDIES, code)) return REMEDIES[code] as string;
  return Object.hasOwn(ADDITIONS, code) ? `${detail} ${ADDITIONS[code]}` : detail;
}

/** Returns one line about a refusal, with the invalid fields and the id of the request. */
export function refusalLine(problem: GatepassProblem): string {
  const { status, code, errors, requestId } = problem;
  const fields = errors
    .map(({ pointer, detail }) => ` (${Object.hasOwn(FIELDS, pointer) ? FIELDS[pointer] : pointer} ${detail})`)
    .join('');
  const request = requestId === undefined ? '' : ` Request id: ${requestId}`;
  return `${status} ${code}: ${wordsOf(problem)}${fields}${request}`;
}
