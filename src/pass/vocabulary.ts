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
export type EventType =
  | `${Change}${(typeof STAGES)[number]}`
  | ExpiryEventType
  | 'REFERENCE_CHANGED'
  | 'SUBJECT_CHANGED';
export const EVENT_TYPES: readonly EventType[] = [
  ...CHANGES.flatMap((change) => STAGES.map((stage): EventType => `${change}${stage}`)),
  ...EXPIRY_EVENTS,
  'REFERENCE_CHANGED',
  'SUBJECT_CHANGED',
];

export const TRANSACTION_STATUSES = ['sent', 'confirmed', 'failed'] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/** The last Unix second of the year 9999. No expiry is later. */
export const MAX_TIMESTAMP = 253_402_300_799;

/** Types of the events in the feed. Append-only: readers ignore types that they do not know. */
export const FEED_TYPES = [
  'pass.issued',
  'pass.renewed',
  'pass.frozen',
  'pass.unfrozen',
  'pass.revoked',
  'pass.expiry_changed',
  'pass.rejected',
  'pass.change_failed',
  'pass.reorged',
  'pass.expiring',
  'pass.expired',
  'feed.restored',
  'pass.reference_changed',
  'pass.subject_changed',
] as const;
export type FeedType = (typeof FEED_TYPES)[number];

/** Events that pass every filter: a reader that wants only some types must learn too that events are lost. */
export const NOTICE_TYPES = ['feed.restored'] as const satisfies readonly FeedType[];

/** The notice of a webhook whose next events are deleted. The feed has no such event: its readers get `cursor_expired` instead. */
export const EVENTS_DELETED = 'feed.events_deleted';

/** The changes that the usage counts. */
export type CountedChange = 'issued' | 'renewed' | 'revoked';

/** A change that the usage counts once the feed has its event. */
export interface FeedUsage {
  /** The month of the event (UTC), for example `2026-11`. */
  readonly month: string;
  readonly change: CountedChange;
  /** -1: a reorg took the change back. */
  readonly amount: 1 | -1;
}

/** An event as its pass hands it over to the feed, which then numbers it. */
export interface FeedEvent {
  /** Counts the feed events of the pass: 1, 2, 3 … */
  readonly n: number;
  readonly type: FeedType;
  /** JSON: `{ id, timestamp, data: { event, pass } }`, in this order. */
  readonly body: string;
  /** Undefined: the usage does not count it. */
  readonly usage?: FeedUsage | undefined;
}
