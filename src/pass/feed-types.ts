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

/** An event as its pass hands it over to the feed, which then numbers it. */
export interface FeedEvent {
  /** Counts the feed events of the pass: 1, 2, 3 … */
  readonly n: number;
  readonly type: FeedType;
  /** JSON: `{ id, timestamp, data: { event, pass } }`. */
  readonly body: string;
}
