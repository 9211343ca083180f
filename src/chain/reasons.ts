/** Why a chain does not do something: each reason is a code that decides, and a text that only speaks to people. */

interface Row {
  readonly text: string;
  /** The steps that wait: one, all of its gatekeeper network, or all of the signer. */
  readonly blocks: 'step' | 'gatekeeper-network' | 'signer';
  /** Whether the endpoint did not answer for the step. Then another endpoint's result counts. */
  readonly isUnanswered?: true;
}

/** Temporary: the signer tries again. Only the code decides; the texts are for the operator. */
export interface NotNow<Code extends string = ReasonCode> extends Omit<Row, 'text'> {
  readonly type: 'not-now';
  readonly code: Code;
  readonly why: string;
  /** The part of `why` that others wrote, for example the selector of an unknown error. */
  readonly detail?: string;
}

/** Never possible. Only the code decides; the reason is a text for the partner. */
export interface Refused<Code extends string = RefusalCode> {
  readonly type: 'refused';
  readonly code: Code;
  readonly reason: string;
}

/** Maximum number of tokens that the service handles per wallet. Each one needs calls in every read, and a step to revoke it. */
export const WALLET_MAX_TOKENS = 20;

const NOT_AUTHORIZED = 'the gatekeeper is not authorized on the gatekeeper network';
const NOT_FINAL = 'the tokens of the wallet are not final yet';
const UNKNOWN_ERROR = 'the contract answers an error that the service does not know';

/** The temporary reasons. A detail may follow the text. */
export const REASONS = {
  'no-funds': { text: 'the gatekeeper has no funds', blocks: 'signer' },
  'no-contract': { text: 'no contract at the configured address', blocks: 'signer' },
  'no-program': { text: 'no program at the configured address', blocks: 'signer' },
  'gas-price-too-high': { text: 'the network charges more than maxFeePerGas', blocks: 'signer' },
  'l1-fee-too-high': { text: 'the network charges more than maxL1Fee', blocks: 'signer' },
  'not-authorized': { text: NOT_AUTHORIZED, blocks: 'gatekeeper-network' },
  'network-missing': { text: 'the gatekeeper network does not exist on this chain', blocks: 'gatekeeper-network' },
  'no-gatekeeper-network': { text: 'not a gatekeeper network', blocks: 'gatekeeper-network' },
  /** Other steps may fail in the same way. Its detail identifies the error. */
  'unknown-contract-error': { text: UNKNOWN_ERROR, blocks: 'gatekeeper-network' },
  /** The unknown error concerns an account of the step alone. Its detail identifies the error. */
  'unknown-step-error': { text: UNKNOWN_ERROR, blocks: 'step' },
  /** A reorg could remove the token and give its identifier to another wallet. */
  'tokens-not-final': { text: NOT_FINAL, blocks: 'step' },
  'final-block-unanswered': { text: NOT_FINAL, blocks: 'step', isUnanswered: true },
  'state-behind': { text: 'the node is behind the block that last showed the pass', blocks: 'step' },
  'nodes-behind': { text: 'the nodes may be behind the chain', blocks: 'step' },
  'not-simulated': { text: 'the call could not be simulated', blocks: 'step', isUnanswered: true },
  /** Its detail is the name of the error. */
  'simulation-failed': { text: 'the simulation failed', blocks: 'step' },
  'token-changed': { text: 'the token changed since it was read', blocks: 'step' },
  /** Its detail is the node's message. */
  'broadcast-refused': { text: 'a node refuses the transaction', blocks: 'step' },
  'too-many-tokens': {
    text:
      `the wallet has more than ${WALLET_MAX_TOKENS} tokens of the gatekeeper network: ` +
      "the network's authority must burn or revoke some of them",
    blocks: 'step',
  },
  'answer-unreadable': { text: "the contract's answer cannot be read", blocks: 'step' },
  'account-unreadable': { text: 'the account of a token cannot be read', blocks: 'step' },
  'endpoints-disagree': { text: 'the endpoints of the network disagree about it', blocks: 'step' },
  /** An endpoint shows a valid token in its newest final block, or its final block is older than the known state. */
  'absence-not-final': {
    text: 'an endpoint does not yet show in a final block that the wallet has no valid token',
    blocks: 'step',
  },
  /** Too few endpoints answer. */
  'absence-unconfirmed': { text: 'no second endpoint confirms that the wallet has no valid token', blocks: 'step' },
} as const satisfies Readonly<Record<string, Row>>;

export type ReasonCode = keyof typeof REASONS;

/** The reasons that end a step. A detail may follow the text. */
export const REFUSALS = {
  'issued-by-another': 'issued by another gatekeeper',
  'addresses-occupied': 'the addresses of the pass are occupied by other accounts',
  'expiry-not-clearable': 'an expiry cannot be cleared on this chain',
  /** Their detail is the name of the error. */
  'contract-refuses': 'the contract refuses it',
  'program-refuses': 'the program refuses it',
} as const satisfies Readonly<Record<string, string>>;

export type RefusalCode = keyof typeof REFUSALS;

/** Returns the result of a step that waits. `detail` is for the operator, and identifies an unknown error. */
export function notNow<Code extends ReasonCode>(code: Code, detail?: string): NotNow<Code> {
  const { text, blocks, isUnanswered }: Row = REASONS[code];
  return {
    type: 'not-now',
    code,
    why: withDetail(text, detail),
    blocks,
    ...(detail !== undefined && { detail }),
    ...(isUnanswered && { isUnanswered }),
  };
}

/** Returns the result of a step that the chain never does. */
export function refused(code: RefusalCode, detail?: string): Refused {
  return { type: 'refused', code, reason: withDetail(REFUSALS[code], detail) };
}

/** Returns the result of reading a pass that cannot be read now. */
export function unreadable(code: ReasonCode): { readonly type: 'unreadable'; readonly why: string } {
  return { type: 'unreadable', why: REASONS[code].text };
}

function withDetail(text: string, detail: string | undefined): string {
  return detail === undefined ? text : `${text}: ${detail}`;
}

/** Whether the contract or program answered with an error that the service does not know. */
export function isUnknownError(code: string): boolean {
  return code === 'unknown-contract-error' || code === 'unknown-step-error';
}
