/** The words of the pass record. What is stored or answered is append-only: words are added, never changed. */

/** What a pass should be; REVOKED is final when a partner wished it. */
export const WANTED_STATES = ['ACTIVE', 'FROZEN', 'REVOKED'] as const;
export type WantedState = (typeof WANTED_STATES)[number];

/** What the chain is known to hold. Of several tokens the one stands for all whose state comes first. */
export const ON_CHAIN_STATES = ['NONE', ...WANTED_STATES] as const;
export type OnChainState = (typeof ON_CHAIN_STATES)[number];

/**
 * The public `state`: what is wanted, except REQUESTED (wanted, not on chain yet) and REJECTED (the chain refused
 * the issuance for good).
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
/** A change of the gateway token; its bare name is the event of the confirmed change. */
export type Change = (typeof CHANGES)[number];

/** How the name of an event ends: the change is begun, done, failed for good, or gone again with a reorganized block. */
const STAGES = ['_INITIATED', '', '_FAILED', '_REORGED'] as const;
export type EventType = `${Change}${(typeof STAGES)[number]}`;
export const EVENT_TYPES: readonly EventType[] = CHANGES.flatMap((change) =>
  STAGES.map((stage): EventType => `${change}${stage}`),
);

export const TRANSACTION_STATUSES = ['sent', 'confirmed', 'failed'] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/** The last Unix second of the year 9999: no expiry lies beyond it. */
export const MAX_TIMESTAMP = 253_402_300_799;
