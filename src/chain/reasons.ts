import { type Blocked, describeReason, type Reason, reasonRow, type WaitCode } from '../pass/wait-reasons.ts';

/** Why a chain does not do something now or ever. A code decides, and its text only speaks to people. */

/** Temporary: the signer tries again. `wait-reasons.ts` has what waits and how long. */
export interface NotNow<Code extends WaitCode = WaitCode> extends Reason {
  readonly type: 'not-now';
  readonly code: Code;
  /** The text of the code and the detail, for the operator. */
  readonly why: string;
  readonly blocks: Blocked;
  /** Whether the endpoint did not answer for the step. Then another endpoint's result counts. */
  readonly isUnanswered?: true;
}

/** Never possible. The reason is a text for the partner. */
export interface Refused<Code extends string = RefusalCode> {
  readonly type: 'refused';
  readonly code: Code;
  readonly reason: string;
}

/** The reasons that end a step. A detail may follow the text. */
export const REFUSALS = {
  'issued-by-another': 'issued by another gatekeeper',
  'addresses-occupied': 'the addresses of the pass are occupied by other accounts',
  'expiry-not-clearable': 'an expiry cannot be cleared on this chain',
  'without-effect': 'its transactions were mined without effect',
  /** Their detail is the name of the error. */
  'contract-refuses': 'the contract refuses it',
  'program-refuses': 'the program refuses it',
} as const satisfies Readonly<Record<string, string>>;

type RefusalCode = keyof typeof REFUSALS;

/** Returns the result of a step that waits. `detail` is what others wrote, and identifies an unknown error. */
export function notNow<Code extends WaitCode>(code: Code, detail?: string): NotNow<Code> {
  const row = reasonRow(code);
  return {
    type: 'not-now',
    code,
    why: describeReason({ code, detail }),
    blocks: row.blocks,
    ...(detail !== undefined && { detail }),
    ...(row.isUnanswered && { isUnanswered: true }),
  };
}

/** Returns the result of a step that the chain never does. */
export function refused(code: RefusalCode, detail?: string): Refused {
  const text = REFUSALS[code];
  return { type: 'refused', code, reason: detail === undefined ? text : `${text}: ${detail}` };
}

/** Returns the result of reading a pass that cannot be read now. */
export function unreadable(code: WaitCode): { readonly type: 'unreadable'; readonly why: string } {
  return { type: 'unreadable', why: describeReason({ code }) };
}
