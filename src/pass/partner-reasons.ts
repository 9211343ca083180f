import { PROGRESS, type ProgressCode, type WaitCode } from './wait-reasons.ts';

interface Shown {
  readonly text: string;
  /** The reasons of the signer that a partner reads so. */
  readonly of: readonly (WaitCode | ProgressCode)[];
}

const AWAY = ['nodes-unanswered', 'nodes-behind', 'state-behind', 'endpoints-disagree', 'not-simulated'] as const;
const UNSHOWN = ['final-block-unanswered', 'absence-not-final', 'absence-unconfirmed', 'answer-unreadable'] as const;
const NOT_FINAL = ['mint-not-final', 'earlier-step-not-final', 'nonce-not-final', 'tokens-not-final'] as const;
const CEILINGS = ['lane-ceiling', 'lane-reserve', 'signer-ceiling', 'signer-reserve'] as const;
const QUEUE = 'The change waits in the queue of the gatekeeper network';
const CROWDED =
  'The wallet has too many tokens of the gatekeeper network. Its authority must burn or revoke some of them.';

/**
 * Why a pass waits, as its partner reads it. A text has no amount, no address and nothing else of the operator's, and no detail follows it.
 * A reason to wait that no row lists is `paused`: it names what only the operator may know.
 */
export const PARTNER_REASONS = {
  no_funds: { text: "The operator's account needs funds.", of: ['no-funds'] },
  network_away: {
    text: 'The network does not answer, or its nodes disagree.',
    of: [...AWAY, ...UNSHOWN, 'out-of-gas', 'broadcast-refused'],
  },
  network_fees: {
    text: 'The network charges more than the operator pays at the moment.',
    of: ['gas-price-too-high', 'l1-fee-too-high'],
  },
  daily_limit: {
    text: "The operator's limit of costs for today is reached. The change continues after midnight UTC.",
    of: CEILINGS,
  },
  not_authorized: {
    text: 'The gatekeeper network does not authorize the gatekeeper of the service on this network.',
    of: ['not-authorized', 'network-missing'],
  },
  suspended: { text: 'The operator has suspended the client that requested the change.', of: ['client-suspended'] },
  not_final: {
    text: 'An earlier transaction for the wallet is not final yet.',
    of: [...NOT_FINAL, 'issuance-in-flight', 'earlier-store'],
  },
  too_many_tokens: { text: CROWDED, of: ['too-many-tokens'] },
  queue: { text: `${QUEUE}.`, of: ['turn', 'no-room'] },
  paused: { text: 'The service has paused the change, and the operator can see why.', of: [] },
} as const satisfies Readonly<Record<string, Shown>>;

type PartnerCode = keyof typeof PARTNER_REASONS;

const CODES = Object.keys(PARTNER_REASONS) as PartnerCode[];

/** Maximum number of steps that are counted before one: each is a row to read. */
export const QUEUE_MAX_STEPS = 1_000;

/** Why a pass waits, as its record shows it. */
export interface PartnerReason {
  readonly code: PartnerCode;
  readonly detail: string;
  /** Only with `queue`: how many changes of the gatekeeper network are before it, at most `QUEUE_MAX_STEPS`. */
  readonly before?: number | undefined;
}

/** Returns the reason in the words for its partner; undefined: the step does not wait, or nobody knows why. */
export function reasonForPartner(code: WaitCode | ProgressCode, before?: number): PartnerReason | undefined {
  const shown = CODES.find((each) => (PARTNER_REASONS[each].of as Shown['of']).includes(code));
  if (shown === undefined && Object.hasOwn(PROGRESS, code)) return undefined;
  if (before === undefined) return { code: shown ?? 'paused', detail: PARTNER_REASONS[shown ?? 'paused'].text };
  const number = before < QUEUE_MAX_STEPS ? before : `at least ${before}`;
  return { code: 'queue', detail: `${QUEUE}: ${number} before it.`, before };
}
