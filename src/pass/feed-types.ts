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
