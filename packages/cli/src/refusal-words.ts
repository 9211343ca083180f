import type { GatepassProblem } from '@gatepass/client';

const OTHER_RELEASE =
  'The service does not understand this command. Install the command again: $GATEPASS_URL/downloads/gatepass-cli.tgz has the version that suits it.';

/** The texts of the command for refusals whose remedy is a command or an option. */
const REMEDIES: Readonly<Record<string, string>> = {
  invalid_json: OTHER_RELEASE,
  method_not_allowed: OTHER_RELEASE,
  unsupported_media_type: OTHER_RELEASE,
  invalid_request: 'The service refuses a value of this command.',
  body_too_large: 'The values of this command are too long for one request. Shorten them.',
  body_timeout: 'The service did not receive the whole request within 10 seconds. Run the command again.',
  cursor_expired:
    'The feed no longer has the next events after this sequence. `gatepass events` begins with the oldest that it has.',
  not_found: 'The service has nothing there. Check GATEPASS_URL.',
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
  subject_not_found:
    'No pass of the gatekeeper network has this subject. Name it with `gatepass issue --subject` or `gatepass set-subject`.',
  subject_differs:
    'The pass has another subject or none. Remove the old one with `gatepass set-subject --remove`, or leave out --subject and the column subject.',
  subject_required:
    'A rule of the gatekeeper network requires a subject for each issuance. Name it with --subject or in the column subject.',
  subject_limit_reached: 'A rule of the gatekeeper network allows no further pass of the subject.',
  subject_frozen: 'The subject of the pass is frozen. Unfreeze it with `gatepass unfreeze --subject`.',
  webhook_limit_reached: 'The gatekeeper network has five webhooks. Delete one with `gatepass webhooks remove`.',
};

/** The advice beside a text of the service that has names or figures. */
const ADDITIONS: Readonly<Record<string, string>> = {
  token_invalid: 'Check GATEPASS_TOKEN_URL, GATEPASS_AUDIENCE and GATEPASS_SCOPE.',
  insufficient_scope: 'Ask the operator to give it to your client, or name it in GATEPASS_SCOPE.',
  replay_quota_reached: 'Replay fewer, read them with `gatepass events`, or try again after midnight UTC.',
};

/** Words for requests and answers, which the command makes and reads itself. A sentence of the service with one is advice for programs. */
const OF_THE_API =
  /\b(?:GET|HEAD|POST|PATCH|PUT|DELETE|JSON|API|URI|Retry-After|Bearer|Fetch|Request|headers?|body|path|fields?|cursor|maxAge|expiryTimestamp)\b|"(?:errors|oldest|items)"/;

/** The names that a person gives to the fields of requests. */
export const FIELDS: Readonly<Record<string, string>> = {
  '/advanceSeconds': 'the duration',
  '/type': 'the event',
  '/walletAddress': 'the wallet',
  '/wallet': 'the wallet',
  '/walletPrefix': 'the beginning of the wallet',
  '/chain': 'the network',
  '/chain/type': 'the chain',
  '/chain/network': 'the network',
  '/chainNetwork': 'the network',
  '/expiryTimestamp': 'the expiry',
  '/expiresBefore': 'the time before which they expire',
  '/reference': 'the reference',
  '/subject': 'the subject',
  '/subjects': 'the count of subjects',
  '/reason': 'the reason',
  '/state': 'the state',
  '/validity': 'the validity',
  '/order': 'the order',
  '/limit': 'the number',
  '/after': 'the sequence',
  '/month': 'the month',
  '/pass': 'the pass',
  '/client': 'the client',
  '/action': 'the action',
  '/from': 'the beginning',
  '/to': 'the end',
  '/webhook': 'the id of the webhook',
  '/url': 'the URL',
  '/types': 'the types',
  '/description': 'the description',
};

/** The words of the service in the faults of fields, and those of the command. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bwalletAddress\b/g, '--wallet'],
  [/\bfields\b/g, 'options'],
];

type Refusal = Pick<GatepassProblem, 'code' | 'detail' | 'errors' | 'retryAfterMs'> &
  Partial<Pick<GatepassProblem, 'rule'>>;

/** Returns the text of a refusal in the words of the command, with its invalid values. */
export function wordsOf({ code, detail, errors, retryAfterMs, rule }: Refusal): string {
  const remedy = Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : undefined;
  const wait = retryAfterMs === undefined ? 'a while' : `${Math.ceil(retryAfterMs / 1000)} s`;
  const sentences = detail.replace('the time in Retry-After', wait).split(/(?<=[.!?]) /);
  const texts = remedy === undefined ? sentences.filter((each) => !OF_THE_API.test(each)) : [remedy];
  const added = Object.hasOwn(ADDITIONS, code) ? ADDITIONS[code] : undefined;
  const faults = errors.map((each) => `(${faultOf(each)})`);
  const advice = Array.isArray(rule?.passes) ? adviceOf(rule) : added;
  return [...(texts.length > 0 ? texts : [detail]), advice, ...faults].filter((text) => text !== undefined).join(' ');
}

function adviceOf({ maximum, name, passes }: NonNullable<GatepassProblem['rule']>): string {
  const where = name === 'subjectMaxPassesPerNetwork' ? ' on a network' : '';
  const wallets = passes.map((pass) => `${pass?.walletAddress} on ${pass?.chain?.network}`).join(', ');
  return `It has at most ${maximum}${where}: ${wallets}. Revoke one of them.`;
}

function faultOf({ pointer, detail }: GatepassProblem['errors'][number]): string {
  const field = pointer.replace(/^\/items\/\d+|^\/filter/, '');
  const text = WORDS.reduce((words, [theirs, ours]) => words.replace(theirs, ours), detail);
  return `${Object.hasOwn(FIELDS, field) ? FIELDS[field] : pointer} ${text}`;
}

/** Returns one line about a refusal, with the id of the request. */
export function refusalLine(problem: GatepassProblem): string {
  const { status, code, requestId } = problem;
  const request = requestId === undefined ? '' : ` Request id: ${requestId}`;
  return `${status} ${code}: ${wordsOf(problem)}${request}`;
}
