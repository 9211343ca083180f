import type { EventType } from './vocabulary.ts';

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
] as const;
export type FeedType = (typeof FEED_TYPES)[number];

/** Events that pass every filter: a reader that wants only some types must learn too that events are lost. */
export const NOTICE_TYPES = ['feed.restored'] as const satisfies readonly FeedType[];

/** The notice of a webhook whose next events are deleted. The feed has no such event: its readers get `cursor_expired` instead. */
export const EVENTS_DELETED = 'feed.events_deleted';

/**
 * The feed type of each entry in a record; undefined: the feed omits it. Two entries have another type in some cases: a final
 * refusal of an issuance is `pass.rejected`, and a new expiry of an expired token is `pass.renewed`.
 */
export const FEED_TYPE_OF: Readonly<Record<EventType, FeedType | undefined>> = {
  TOKEN_ISSUED_INITIATED: undefined,
  TOKEN_ISSUED: 'pass.issued',
  TOKEN_ISSUED_FAILED: 'pass.change_failed',
  TOKEN_ISSUED_REORGED: 'pass.reorged',
  TOKEN_FROZEN_INITIATED: undefined,
  TOKEN_FROZEN: 'pass.frozen',
  TOKEN_FROZEN_FAILED: 'pass.change_failed',
  TOKEN_FROZEN_REORGED: 'pass.reorged',
  TOKEN_UNFROZEN_INITIATED: undefined,
  TOKEN_UNFROZEN: 'pass.unfrozen',
  TOKEN_UNFROZEN_FAILED: 'pass.change_failed',
  TOKEN_UNFROZEN_REORGED: 'pass.reorged',
  TOKEN_REVOKED_INITIATED: undefined,
  TOKEN_REVOKED: 'pass.revoked',
  TOKEN_REVOKED_FAILED: 'pass.change_failed',
  TOKEN_REVOKED_REORGED: 'pass.reorged',
  TOKEN_EXPIRY_CHANGED_INITIATED: undefined,
  TOKEN_EXPIRY_CHANGED: 'pass.expiry_changed',
  TOKEN_EXPIRY_CHANGED_FAILED: 'pass.change_failed',
  TOKEN_EXPIRY_CHANGED_REORGED: 'pass.reorged',
  TOKEN_EXPIRING: 'pass.expiring',
  TOKEN_EXPIRED: 'pass.expired',
};

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
