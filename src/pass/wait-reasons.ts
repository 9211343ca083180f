import type { Milliseconds } from '../lib/units.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/units.ts';

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
  /** The remedy for the operator: a sentence. The runbook has the same one. */
  readonly remedy: string;
}

type Options = Partial<Omit<WaitReason, 'blocks' | 'text' | 'remedy'>>;

/** Longer than any clock shows. Only an event ends the waiting. */
const NEVER: Milliseconds = 9e15;

const step = (text: string, remedy: string, options: Options = {}): WaitReason => ({
  blocks: 'step',
  from: 2 * SECOND_MS,
  to: MINUTE_MS,
  ends: 'success',
  text,
  remedy,
  ...options,
});
const lane = (text: string, remedy: string, options: Options = {}): WaitReason => ({
  blocks: 'lane',
  from: 5 * SECOND_MS,
  to: 5 * MINUTE_MS,
  ends: 'success',
  text,
  remedy,
  ...options,
});
const signer = (text: string, remedy: string, options: Options = {}): WaitReason => ({
  ...step(text, remedy),
  blocks: 'signer',
  ...options,
});

/** Maximum number of tokens that the service handles per wallet. Each one needs calls in every read, and a step to revoke it. */
export const WALLET_MAX_TOKENS = 20;
/** Maximum number of nonces that a signer uses for a step: the first one and two more. */
export const STEP_MAX_NONCES = 3;

/** The remedies of several reasons. A section of the runbook has more. */
export const NOTHING = 'Nothing: it ends by itself.';
const LATER = 'Nothing. After an hour, redrive the pass.';
const KMS = 'Repair the key or the credentials of the KMS (runbook: The KMS does not sign).';
const OTHER_SENDER = 'Find out who else uses the key (runbook: A key has leaked).';
const ADDRESS = 'Run the doctor. Create the contract, or correct NETWORKS or the endpoints.';
const FEES = 'Wait, or raise the cap in NETWORKS.';
const ERROR = 'Find the cause of the error (runbook: A signer refuses to work).';
const AUTHORITY = 'Have the authority of the gatekeeper network authorize the key (runbook: A key is not authorized).';
const HELD = 'Remove the cause that the reason names, then redrive the pass (runbook: A step is held).';
const BEHIND = 'Compare the endpoints if it stays.';
const ENDPOINT = 'Find the endpoint that is wrong, and replace it in RPC_ENDPOINTS.';
const CEILING = 'Wait until midnight UTC, or raise the ceiling (runbook: A partner spends too much).';
const UNREACHABLE = 'Try again. If it stays, look at the log for signer.unreachable and pass.unreachable.';

export const WAIT_REASONS = {
  'not-configured': signer(
    'its network or key is not configured',
    'Put its network, its endpoints and its key back into the configuration (runbook: A signer refuses to work).',
    {
      from: 30 * SECOND_MS,
      to: HOUR_MS,
      ends: 'configured',
    },
  ),
  'key-compromised': signer(
    'the key of its signer is compromised: the signer withdraws the step, and the signer of another key does it',
    'Wait until the nonces of the key are final. Compare the endpoints if it stays.',
  ),
  'no-funds': signer(
    'the gatekeeper has no funds',
    'Send funds to the address of the signer (runbook: A key has no funds).',
  ),
  /** The detail of the four is the answer of the KMS. A person must repair the first two. */
  'kms-wrong-answer': signer('the KMS answers with another key or a malformed signature', KMS),
  'kms-denied': signer('the KMS refuses to sign', KMS),
  'kms-throttled': signer('the KMS limits the number of requests', KMS),
  'kms-unanswered': signer('the KMS does not answer', KMS),
  'nodes-unanswered': signer(
    'the nodes do not answer',
    'Repair the endpoints, or add one of another provider (runbook: The RPC provider is down for a day).',
  ),
  'foreign-transactions': signer('this key has pending transactions that this signer did not send', OTHER_SENDER),
  'nonces-far-ahead': signer('the node counts far more transactions of this key than this signer sent', OTHER_SENDER),
  /** Another endpoint's result counts. */
  'no-program': signer('no program at the configured address', ADDRESS, { isUnanswered: true }),
  'gas-price-too-high': signer('the network charges more than maxFeePerGas', FEES),
  'l1-fee-too-high': signer('the network charges more than maxL1Fee', FEES),

  /** Its detail identifies the error. The step waits twice as long as the lane, so that other steps are tried before it. */
  'unknown-contract-error': lane('the contract answers an error that the service does not know', ERROR),
  'not-authorized': lane('the gatekeeper is not authorized on the gatekeeper network', AUTHORITY),
  'network-missing': lane('the gatekeeper network does not exist on this chain', AUTHORITY),
  'no-gatekeeper-network': lane('not a gatekeeper network', ADDRESS),
  'no-contract': lane('no contract exists at the address of its contract', ADDRESS, { isUnanswered: true }),

  /** Its detail is the newest reason of the step. */
  held: step(`the step is held: ${STEP_MAX_NONCES} nonces were signed for it`, HELD, {
    from: MINUTE_MS,
    to: HOUR_MS,
    ends: 'redriven',
  }),
  'effect-not-shown': step('no endpoint shows its effect. Compare the endpoints, then redrive the pass', HELD),
  'client-suspended': step(
    'the client that requested the step is suspended: resume the client, or withdraw its steps',
    'Resume the client, or withdraw its steps.',
    { from: NEVER, to: NEVER, ends: 'client-resumed' },
  ),
  'contract-code-unknown': step(
    'two endpoints show unknown code of its contract, and the step gives access: find out who changed the code, then accept it in ' +
      'NETWORKS',
    'Find out who changed the code (runbook: A contract has changed hands or code).',
    { from: NEVER, to: NEVER, ends: 'code-known' },
  ),
  'contract-code-unread': step(
    'the watcher has not told the signer the code of the contract yet: the signer asks again by itself',
    'Look at the watcher if it stays (runbook: A watcher lags).',
    { from: 5 * SECOND_MS, to: 5 * SECOND_MS },
  ),
  'suspensions-unread': step(
    'the signer could not read the list of suspended clients yet: it tries again by itself',
    'Look at D1 if it stays.',
    {
      from: 5 * SECOND_MS,
      to: 5 * SECOND_MS,
    },
  ),
  'earlier-store': step(
    'an earlier store of this signer may have issued it: the step waits until the nonces of that store are final',
    'Wait until the nonces are final (runbook: A signer loses its store).',
    { from: HOUR_MS, to: HOUR_MS, ends: 'earlier-store-final' },
  ),
  'nonce-not-final': step('the nonce of its last transaction is not final', NOTHING, {
    from: 5 * SECOND_MS,
    to: 5 * SECOND_MS,
    ends: 'nonce-final',
  }),
  /** A reorg could give the token of the mint to another wallet. The hour is for a signer that misses the end. */
  'mint-not-final': step('the mint of the pass is not final', NOTHING, {
    from: HOUR_MS,
    to: HOUR_MS,
    ends: 'mint-final',
  }),
  'earlier-step-not-final': step('an earlier transaction of the pass is not final', NOTHING, { ends: 'mint-final' }),
  'issuance-in-flight': step('another issuance for the wallet is in no block yet', NOTHING),
  'signing-forbidden': step(
    'the signing policy refuses the transaction',
    'Correct the endpoint or the cap that the reason names (runbook: A signer refuses to work).',
  ),
  'broadcast-refused': step('a node refuses the transaction', NOTHING),
  /** The unknown error concerns an account of the step alone. Its detail identifies the error. */
  'unknown-step-error': step('the contract answers an error that the service does not know', ERROR),
  /** A reorg could remove the token and give its identifier to another wallet. */
  'tokens-not-final': step('the tokens of the wallet are not final yet', NOTHING),
  'final-block-unanswered': step('the tokens of the wallet are not final yet', NOTHING, { isUnanswered: true }),
  'state-behind': step('the node is behind the block that last showed the pass', BEHIND),
  'nodes-behind': step('the nodes may be behind the chain', BEHIND),
  'not-simulated': step('the call could not be simulated', NOTHING, { isUnanswered: true }),
  /** Another endpoint may allow more. Its detail is the node's message. */
  'out-of-gas': step('the call takes more gas than the node allows', ENDPOINT, { isUnanswered: true }),
  'simulation-failed': step('the simulation failed', NOTHING),
  'token-changed': step('the token changed since it was read', NOTHING),
  'too-many-tokens': step(
    `the wallet has more than ${WALLET_MAX_TOKENS} tokens of the gatekeeper network: ` +
      "the network's authority must burn or revoke some of them",
    'Ask the authority of the gatekeeper network to do that.',
  ),
  'answer-unreadable': step("the contract's answer cannot be read", ADDRESS, { isUnanswered: true }),
  'account-unreadable': step('the account of a token cannot be read', ADDRESS),
  'endpoints-disagree': step('the endpoints of the network disagree about it', ENDPOINT),
  /** An endpoint shows a valid token in its newest final block, or its final block is older than the known state. */
  'absence-not-final': step(
    'an endpoint does not yet show in a final block that the wallet has no valid token',
    ENDPOINT,
  ),
  /** Too few endpoints answer. */
  'absence-unconfirmed': step('no second endpoint confirms that the wallet has no valid token', ENDPOINT),

  'lane-ceiling': lane('the daily ceiling of the gatekeeper network is reached', CEILING, {
    from: 5 * MINUTE_MS,
    ends: 'affordable',
    sparesReserve: true,
  }),
  'lane-reserve': lane('the daily ceiling of the gatekeeper network and its reserve are reached', CEILING, {
    from: 5 * MINUTE_MS,
    ends: 'affordable',
  }),
  'signer-ceiling': signer('the daily ceiling of the signer is reached', CEILING, {
    from: 5 * MINUTE_MS,
    to: 5 * MINUTE_MS,
    ends: 'affordable',
    sparesReserve: true,
  }),
  'signer-reserve': signer('the daily ceiling of the signer and its reserve are reached', CEILING, {
    from: 5 * MINUTE_MS,
    to: 5 * MINUTE_MS,
    ends: 'affordable',
  }),
} as const satisfies Readonly<Record<string, WaitReason>>;

export type WaitCode = keyof typeof WAIT_REASONS;

/** Why a KMS does not sign. */
export type KmsCode = Extract<WaitCode, `kms-${string}`>;

interface Explanation {
  readonly text: string;
  readonly remedy: string;
}

const row = (text: string, remedy: string): Explanation => ({ text, remedy });

/** The progress of a step that has no reason to wait. */
export const PROGRESS = {
  'object-unreachable': row('its pass object cannot be reached', UNREACHABLE),
  'object-lost': row(
    'its pass object has no pass, and the database has one',
    'Have the partner issue the pass again (runbook: The reconciliation reports differences).',
  ),
  'not-begun': row('its next step has not begun yet', LATER),
  'signer-unanswered': row('its signer does not answer', UNREACHABLE),
  'not-added': row('the signer has not added the step yet', LATER),
  'no-room': row('its lane is full', 'Nothing, or slow the partner down (runbook: A partner spends too much).'),
  turn: row('the step waits for its turn', LATER),
  vanished: row('its block left the chain: the signer sends the same bytes again', NOTHING),
  unsent: row('signed, and no node has accepted it yet', NOTHING),
  sent: row('sent, and in no block yet', NOTHING),
  confirmed: row('confirmed, and its pass has not recorded it yet', LATER),
  final: row('finished, and its pass has not recorded it yet', LATER),
} as const satisfies Readonly<Record<string, Explanation>>;

/** The ends of a pass that has nothing left to do on chain. */
export const ENDS = {
  active: row('the pass is ACTIVE, and dApps accept the wallet', 'Nothing.'),
  unpublished: row('the pass is ACTIVE, and the database does not show it yet', LATER),
  'loss-pending': row(
    'others have taken access away on chain, and that is not final yet',
    'Find out who did it (runbook: Others change many passes).',
  ),
  'gatekeeper-removed': row(
    'the gatekeeper that issued its token has been removed, or is unknown, so dApps may refuse the wallet',
    'Find out who removed it (runbook: A gatekeeper has been removed).',
  ),
  frozen: row('the pass is frozen', 'Nothing: the partner unfreezes it with PATCH.'),
  expired: row('the pass has expired', 'Nothing: the partner renews it with POST.'),
  revoked: row('the pass is revoked', 'Nothing: a revocation is final.'),
  /** Its detail is the reason of the chain. */
  rejected: row(
    'the chain refused the issuance',
    'Correct the cause. The partner then issues the pass again with POST.',
  ),
} as const satisfies Readonly<Record<string, Explanation>>;

export type EndCode = keyof typeof ENDS;

type ProgressCode = keyof typeof PROGRESS;

/** Why a step is not finished: a code, and a sentence for the operator. */
export interface StuckReason {
  readonly code: WaitCode | ProgressCode;
  readonly text: string;
  /** In place of the remedy of the code. */
  readonly remedy?: string;
}

export function progress(code: ProgressCode): StuckReason {
  return { code, text: PROGRESS[code].text };
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
const OF_LATER_RELEASE = step('it waits for a reason that only a later release knows', NOTHING);

export function reasonRow(code: WaitCode): WaitReason {
  return Object.hasOwn(WAIT_REASONS, code) ? WAIT_REASONS[code] : OF_LATER_RELEASE;
}

/** Returns what the operator does about a reason, the progress or the end of a pass. */
export function remedyOf(code: string): string {
  const rows: Readonly<Record<string, Explanation>> = { ...WAIT_REASONS, ...PROGRESS, ...ENDS };
  return Object.hasOwn(rows, code) ? (rows[code] as Explanation).remedy : NOTHING;
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
