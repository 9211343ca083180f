import { backoff, HOUR_MS, MINUTE_MS, type Milliseconds, SECOND_MS } from '../lib/units.ts';

/**
 * All reasons for which steps wait. A row names the waiting part, the times, the event that ends the waiting, and the text. The
 * code decides, and the text only speaks to people. The log, the metrics, `/admin/stuck` and `/admin/signers` show the same codes. If a step has
 * several reasons, the first one of the table is shown.
 */

/** The waiting part: the step, all steps of its gatekeeper network (its lane), or the whole signer. */
export type Blocked = 'step' | 'lane' | 'signer';

/** The event that ends the waiting before its time is over. */
export type WaitEnd =
  /** The next try succeeds: the step is signed, a call of the lane succeeds in simulation, or a node accepts a transaction. */
  | 'success'
  /** The signer is configured again. */
  | 'configured'
  /** A transaction fits under the ceiling. */
  | 'affordable'
  /** The mint of the pass is final, or ends without effect. */
  | 'mint-final'
  /** The nonce that the step gave up is final. */
  | 'nonce-final'
  /** All nonces that a lost store of the signer can have used are final. */
  | 'earlier-store-final'
  /** The operator resumes the client of the step. */
  | 'client-resumed'
  /** The code of the contract is known: the operator accepts it, or two endpoints show known code. */
  | 'code-known'
  /** The operator redrives the pass. This ends every reason of a step but `client-suspended`. */
  | 'redriven';

interface WaitReason {
  readonly blocks: Blocked;
  /** How long it waits at first. Each further time in a row takes twice as long, up to `to`. */
  readonly from: Milliseconds;
  readonly to: Milliseconds;
  readonly ends: WaitEnd;
  /** Whether steps that may use the reserve of the ceilings do not wait. */
  readonly sparesReserve?: true;
  /** Whether the endpoint did not answer for the step, or not what the contract answers. Then another endpoint's result counts. */
  readonly isUnanswered?: true;
  /** For the operator. A detail that others wrote may follow it. */
  readonly text: string;
}

type Options = Partial<Omit<WaitReason, 'blocks' | 'text'>>;

/** Longer than any clock shows. Only an event ends the waiting. */
const NEVER: Milliseconds = 9e15;

const step = (text: string, options: Options = {}): WaitReason => ({
  blocks: 'step',
  from: 2 * SECOND_MS,
  to: MINUTE_MS,
  ends: 'success',
  text,
  ...options,
});
const lane = (text: string, options: Options = {}): WaitReason => ({
  blocks: 'lane',
  from: 5 * SECOND_MS,
  to: 5 * MINUTE_MS,
  ends: 'success',
  text,
  ...options,
});
const signer = (text: string, options: Options = {}): WaitReason => ({
  ...step(text),
  blocks: 'signer',
  ...options,
});

/** Maximum number of tokens that the service handles per wallet. Each one needs calls in every read, and a step to revoke it. */
export const WALLET_MAX_TOKENS = 20;
/** Maximum number of nonces that a signer uses for a step: the first one and two more. */
export const STEP_MAX_NONCES = 3;

export const WAIT_REASONS = {
  'not-configured': signer('its network or key is not configured', {
    from: 30 * SECOND_MS,
    to: HOUR_MS,
    ends: 'configured',
  }),
  'key-compromised': signer(
    'the key of its signer is compromised: the signer withdraws the step, and the signer of another key does it',
  ),
  'no-funds': signer('the gatekeeper has no funds'),
  /** The detail of the four is the answer of the KMS. A person must repair the first two. */
  'kms-wrong-answer': signer('the KMS answers with another key or a malformed signature'),
  'kms-denied': signer('the KMS refuses to sign'),
  'kms-throttled': signer('the KMS limits the number of requests'),
  'kms-unanswered': signer('the KMS does not answer'),
  'nodes-unanswered': signer('the nodes do not answer'),
  'foreign-transactions': signer('this key has pending transactions that this signer did not send'),
  'nonces-far-ahead': signer('the node counts far more transactions of this key than this signer sent'),
  /** Another endpoint's result counts. */
  'no-program': signer('no program at the configured address', { isUnanswered: true }),
  'gas-price-too-high': signer('the network charges more than maxFeePerGas'),
  'l1-fee-too-high': signer('the network charges more than maxL1Fee'),

  /** Its detail identifies the error. The step waits twice as long as the lane, so that other steps are tried before it. */
  'unknown-contract-error': lane('the contract answers an error that the service does not know'),
  'not-authorized': lane('the gatekeeper is not authorized on the gatekeeper network'),
  'network-missing': lane('the gatekeeper network does not exist on this chain'),
  'no-gatekeeper-network': lane('not a gatekeeper network'),
  'no-contract': lane('no contract exists at the address of its contract', { isUnanswered: true }),

  /** Its detail is the newest reason of the step. */
  held: step(`the step is held: ${STEP_MAX_NONCES} nonces were signed for it`, {
    from: MINUTE_MS,
    to: HOUR_MS,
    ends: 'redriven',
  }),
  'effect-not-shown': step('no endpoint shows its effect. Compare the endpoints, then redrive the pass'),
  'client-suspended': step(
    'the client that requested the step is suspended: resume the client, or withdraw its steps',
    { from: NEVER, to: NEVER, ends: 'client-resumed' },
  ),
  'contract-code-unknown': step(
    'two endpoints show unknown code of its contract, and the step gives access: find out who changed the code, then accept it in ' +
      'NETWORKS',
    { from: NEVER, to: NEVER, ends: 'code-known' },
  ),
  'contract-code-unread': step(
    'the watcher has not told the signer the code of the contract yet: the signer asks again by itself',
    { from: 5 * SECOND_MS, to: 5 * SECOND_MS },
  ),
  'suspensions-unread': step('the signer could not read the list of suspended clients yet: it tries again by itself', {
    from: 5 * SECOND_MS,
    to: 5 * SECOND_MS,
  }),
  'earlier-store': step(
    'an earlier store of this signer may have issued it: the step waits until the nonces of that store are final',
    { from: HOUR_MS, to: HOUR_MS, ends: 'earlier-store-final' },
  ),
  'nonce-not-final': step('the nonce of its last transaction is not final', {
    from: 5 * SECOND_MS,
    to: 5 * SECOND_MS,
    ends: 'nonce-final',
  }),
  /** A reorg could give the token of the mint to another wallet. The hour is for a signer that misses the end. */
  'mint-not-final': step('the mint of the pass is not final', {
    from: HOUR_MS,
    to: HOUR_MS,
    ends: 'mint-final',
  }),
  'earlier-step-not-final': step('an earlier transaction of the pass is not final', { ends: 'mint-final' }),
  'issuance-in-flight': step('another issuance for the wallet is in no block yet'),
  'signing-forbidden': step('the signing policy refuses the transaction'),
  'broadcast-refused': step('a node refuses the transaction'),
  /** The unknown error concerns an account of the step alone. Its detail identifies the error. */
  'unknown-step-error': step('the contract answers an error that the service does not know'),
  /** A reorg could remove the token and give its identifier to another wallet. */
  'tokens-not-final': step('the tokens of the wallet are not final yet'),
  'final-block-unanswered': step('the tokens of the wallet are not final yet', { isUnanswered: true }),
  'state-behind': step('the node is behind the block that last showed the pass'),
  'nodes-behind': step('the nodes may be behind the chain'),
  'not-simulated': step('the call could not be simulated', { isUnanswered: true }),
  /** Another endpoint may allow more. Its detail is the node's message. */
  'out-of-gas': step('the call takes more gas than the node allows', { isUnanswered: true }),
  'simulation-failed': step('the simulation failed'),
  'token-changed': step('the token changed since it was read'),
  'too-many-tokens': step(
    `the wallet has more than ${WALLET_MAX_TOKENS} tokens of the gatekeeper network: ` +
      "the network's authority must burn or revoke some of them",
  ),
  'answer-unreadable': step("the contract's answer cannot be read", { isUnanswered: true }),
  'account-unreadable': step('the account of a token cannot be read'),
  'endpoints-disagree': step('the endpoints of the network disagree about it'),
  /** An endpoint shows a valid token in its newest final block, or its final block is older than the known state. */
  'absence-not-final': step('an endpoint does not yet show in a final block that the wallet has no valid token'),
  /** Too few endpoints answer. */
  'absence-unconfirmed': step('no second endpoint confirms that the wallet has no valid token'),

  'lane-ceiling': lane('the daily ceiling of the gatekeeper network is reached', {
    from: 5 * MINUTE_MS,
    ends: 'affordable',
    sparesReserve: true,
  }),
  'lane-reserve': lane('the daily ceiling of the gatekeeper network and its reserve are reached', {
    from: 5 * MINUTE_MS,
    ends: 'affordable',
  }),
  'signer-ceiling': signer('the daily ceiling of the signer is reached', {
    from: 5 * MINUTE_MS,
    to: 5 * MINUTE_MS,
    ends: 'affordable',
    sparesReserve: true,
  }),
  'signer-reserve': signer('the daily ceiling of the signer and its reserve are reached', {
    from: 5 * MINUTE_MS,
    to: 5 * MINUTE_MS,
    ends: 'affordable',
  }),
} as const satisfies Readonly<Record<string, WaitReason>>;

export type WaitCode = keyof typeof WAIT_REASONS;

/** Why a KMS does not sign. */
export type KmsCode = Extract<WaitCode, `kms-${string}`>;

/** The progress of a step that has no reason to wait. */
export const PROGRESS = {
  'object-unreachable': 'its pass object cannot be reached',
  'object-lost': 'its pass object has no pass, and the database has one',
  'not-begun': 'its next step has not begun yet',
  'signer-unanswered': 'its signer does not answer',
  'not-added': 'the signer has not added the step yet',
  'no-room': 'its lane is full',
  turn: 'the step waits for its turn',
  vanished: 'its block left the chain: the signer sends the same bytes again',
  unsent: 'signed, and no node has accepted it yet',
  sent: 'sent, and in no block yet',
  confirmed: 'confirmed, and its pass has not recorded it yet',
  final: 'finished, and its pass has not recorded it yet',
} as const satisfies Readonly<Record<string, string>>;

/** The ends of a pass that has nothing left to do on chain. */
export const ENDS = {
  active: 'the pass is ACTIVE, and dApps accept the wallet',
  unpublished: 'the pass is ACTIVE, and the database does not show it yet',
  'loss-pending': 'others have taken access away on chain, and that is not final yet',
  'gatekeeper-removed':
    'the gatekeeper that issued its token has been removed, or is unknown, so dApps may refuse the wallet',
  frozen: 'the pass is frozen',
  expired: 'the pass has expired',
  revoked: 'the pass is revoked',
  /** Its detail is the reason of the chain. */
  rejected: 'the chain refused the issuance',
} as const satisfies Readonly<Record<string, string>>;

export type EndCode = keyof typeof ENDS;

export type ProgressCode = keyof typeof PROGRESS;

/** Why a step is not finished: a code, and a sentence for the operator. */
export interface StuckReason {
  readonly code: WaitCode | ProgressCode;
  readonly text: string;
  /** Whether it should have ended by itself: it has lasted ten times as long as usual, or the nodes withhold something. */
  readonly isLasting?: true;
}

export function progress(code: ProgressCode): StuckReason {
  return { code, text: PROGRESS[code] };
}

/** The order of the reasons: the first of several is shown. */
const ORDER = Object.keys(WAIT_REASONS) as WaitCode[];

/** A reason and its detail. */
export interface Reason {
  readonly code: WaitCode;
  /** A text that others wrote, for example the error of a contract. */
  readonly detail?: string | undefined;
}

/** The row of a code that a later release has stored. The part waits for the stored time, and then tries again. */
const OF_LATER_RELEASE = step('it waits for a reason that only a later release knows');

export function reasonRow(code: WaitCode): WaitReason {
  return Object.hasOwn(WAIT_REASONS, code) ? WAIT_REASONS[code] : OF_LATER_RELEASE;
}

/** Returns the reason as a sentence for the operator. */
export function describeReason({ code, detail }: Reason): string {
  const { text } = reasonRow(code);
  return detail === undefined ? text : `${text}: ${detail}`;
}

/** Whether the contract or program answered with an error that the service does not know. */
export function isUnknownError(code: WaitCode): boolean {
  return code === 'unknown-contract-error' || code === 'unknown-step-error';
}

/** Whether a KMS does not sign. */
export function isKmsCode(code: WaitCode): code is KmsCode {
  return code.startsWith('kms-');
}

/** Returns the codes of all reasons that the event ends. */
export function reasonsEndedBy(end: WaitEnd): WaitCode[] {
  return ORDER.filter((code) => WAIT_REASONS[code].ends === end);
}

/** Returns the reason to show: the first one in the order of the table. Codes of a later release come last. */
export function firstReason<R extends Reason>(reasons: readonly R[]): R | undefined {
  const placeOf = ({ code }: R) => (ORDER.includes(code) ? ORDER.indexOf(code) : ORDER.length);
  return reasons.toSorted((a, b) => placeOf(a) - placeOf(b))[0];
}

/** A reason has lasted once it holds this many times as long as usual. */
const LASTING_TIMES = 10;
/** The reasons that end by themselves: with a final block, with a block, or with the next try. */
const SELF_ENDING = {
  finality: [
    'mint-not-final',
    'earlier-step-not-final',
    'nonce-not-final',
    'tokens-not-final',
    'final-block-unanswered',
  ],
  inclusion: ['unsent', 'sent', 'vanished', 'issuance-in-flight'],
  retry: ['broadcast-refused', 'not-simulated', 'simulation-failed', 'token-changed'],
} as const satisfies Readonly<Record<string, readonly (WaitCode | ProgressCode)[]>>;

export type SelfEndingCode = (typeof SELF_ENDING)[keyof typeof SELF_ENDING][number];

const isAmong = (codes: readonly string[], code: string): boolean => codes.includes(code);

/** Whether nobody needs to do anything about it. A reason of a later release tries again. */
function endsByItself(code: string): boolean {
  const isKnown = Object.hasOwn(WAIT_REASONS, code) || Object.hasOwn(PROGRESS, code);
  return !isKnown || isAmong(Object.values(SELF_ENDING).flat(), code);
}

/** The usual times of a network. */
interface UsualTimes {
  readonly inclusionMs: Milliseconds;
  readonly finalityMs: Milliseconds;
}

/**
 * Returns the reason as the operator reads it. If it should have ended by itself, it says since when it holds and what the nodes
 * withhold.
 * @param forMs How long it has held; undefined: unknown.
 * @param withheld The call that the nodes withhold; undefined: none is known.
 */
export function explainLasting(
  { code, text }: StuckReason,
  { inclusionMs, finalityMs }: UsualTimes,
  forMs: Milliseconds | undefined,
  withheld: string | undefined,
): StuckReason {
  if (!endsByItself(code)) return { code, text };
  const other = isAmong(SELF_ENDING.inclusion, code) ? inclusionMs : reasonRow(code as WaitCode).to;
  const usual = isAmong(SELF_ENDING.finality, code) ? finalityMs : other;
  const isLasting = forMs !== undefined && forMs >= LASTING_TIMES * usual;
  if (!isLasting && withheld === undefined) return { code, text };
  const lasting = isLasting ? `for ${Math.floor(forMs / MINUTE_MS)} minutes` : undefined;
  const details = [lasting, withheld].filter((each) => each !== undefined);
  return { code, text: `${text} (${details.join('; ')})`, isLasting: true };
}

/** Returns how long a step has been postponed for the reason. */
export function waitedMs(code: WaitCode, tries: number): Milliseconds {
  const { from, to } = reasonRow(code);
  return Array.from({ length: tries }, (_, before) => backoff(from, before, to)).reduce((sum, each) => sum + each, 0);
}
