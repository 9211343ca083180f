/** The words of the pass record. They are stored and returned, so words may be added but never changed. */

/** The wanted states. REVOKED is final if a partner requested it. */
export const WANTED_STATES = ['ACTIVE', 'FROZEN', 'REVOKED'] as const;
export type WantedState = (typeof WANTED_STATES)[number];

/** The known on-chain states. If a wallet has several tokens, the one whose state comes first represents the pass. */
export const ON_CHAIN_STATES = ['NONE', ...WANTED_STATES] as const;
export type OnChainState = (typeof ON_CHAIN_STATES)[number];

/**
 * The public `state`: the wanted state, REQUESTED (wanted and not on chain yet), or REJECTED (the chain refused the issuance
 * permanently).
 */
export const PASS_STATES = ['REQUESTED', ...WANTED_STATES, 'REJECTED'] as const;
export type PassState = (typeof PASS_STATES)[number];

export const CHANGES = [
  'TOKEN_ISSUED',
  'TOKEN_FROZEN',
  'TOKEN_UNFROZEN',
  'TOKEN_REVOKED',
  'TOKEN_EXPIRY_CHANGED',
] as const;
/** A change of the gateway token. Its name without a suffix is the event of the confirmed change. */
export type Change = (typeof CHANGES)[number];

/** Suffixes of event names: the change has begun, is confirmed, has failed permanently, or was reorged. */
const STAGES = ['_INITIATED', '', '_FAILED', '_REORGED'] as const;
/** Events without a change of the token: it expires soon, or has expired. */
const EXPIRY_EVENTS = ['TOKEN_EXPIRING', 'TOKEN_EXPIRED'] as const;
export type ExpiryEventType = (typeof EXPIRY_EVENTS)[number];
export type EventType = `${Change}${(typeof STAGES)[number]}` | ExpiryEventType;
export const EVENT_TYPES: readonly EventType[] = [
  ...CHANGES.flatMap((change) => STAGES.map((stage): EventType => `${change}${stage}`)),
  ...EXPIRY_EVENTS,
];

export const TRANSACTION_STATUSES = ['sent', 'confirmed', 'failed'] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/** The last Unix second of the year 9999. No expiry is later. */
export const MAX_TIMESTAMP = 253_402_300_799;
