import type { FeedEvent } from '../../../tools/localnet/partner/feed.ts';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';

type Entry = PassRecord['events'][number];

/** The expected type of the feed event for each entry of a record, written from the documents alone. */
const TYPES: Readonly<Record<string, string>> = {
  TOKEN_ISSUED: 'pass.issued',
  TOKEN_FROZEN: 'pass.frozen',
  TOKEN_UNFROZEN: 'pass.unfrozen',
  TOKEN_REVOKED: 'pass.revoked',
  // No pass of the fault runs is near its expiry, so none is renewed.
  TOKEN_EXPIRY_CHANGED: 'pass.expiry_changed',
  TOKEN_ISSUED_FAILED: 'pass.change_failed',
  TOKEN_FROZEN_FAILED: 'pass.change_failed',
  TOKEN_UNFROZEN_FAILED: 'pass.change_failed',
  TOKEN_REVOKED_FAILED: 'pass.change_failed',
  TOKEN_EXPIRY_CHANGED_FAILED: 'pass.change_failed',
  TOKEN_ISSUED_REORGED: 'pass.reorged',
  TOKEN_FROZEN_REORGED: 'pass.reorged',
  TOKEN_UNFROZEN_REORGED: 'pass.reorged',
  TOKEN_REVOKED_REORGED: 'pass.reorged',
  TOKEN_EXPIRY_CHANGED_REORGED: 'pass.reorged',
  TOKEN_EXPIRING: 'pass.expiring',
  TOKEN_EXPIRED: 'pass.expired',
};

/** Whether the entry of a record has an event in the feed. The beginning of a change has none. */
export function hasFeedEvent({ eventType }: Entry): boolean {
  return TYPES[eventType] !== undefined;
}

/** Returns the type that the event of the feed should have. Undefined: there should be no such event. */
export function expectedTypeOf({ data }: FeedEvent): string | undefined {
  const isRejection = data?.event.eventType === 'TOKEN_ISSUED_FAILED' && data.pass.state === 'REJECTED';
  return isRejection ? 'pass.rejected' : TYPES[data?.event.eventType ?? ''];
}
