import type { UnixSeconds } from '../lib/brand.ts';
import { rulesFor } from '../network/sandbox.ts';
import { appendEvents } from './append-events.ts';
import { type AnnouncedExpiry, hasValidToken, type Pass } from './pass.ts';
import { isExpired } from './verdict.ts';

/** Number of announced expiries that a pass remembers, in case a reorg brings an earlier expiry back. */
const MAX_ANNOUNCED = 16;

/**
 * Returns the pass with the expiry events that are due, or the same object if none is. Each comes once per expiry. Pure.
 * @param noticeSeconds How long before the expiry the notice comes; 0: never.
 */
export function appendExpiryEvents(pass: Pass, now: UnixSeconds, noticeSeconds: number): Pass {
  const due = expiryEventsOf(pass, now, noticeSeconds).filter(({ at }) => at <= now);
  if (due.length === 0) return pass;
  const fresh = due.map(({ eventType, expiry }) => ({ eventType, expiry }));
  const announced = [...(pass.announced ?? []), ...fresh].slice(-MAX_ANNOUNCED);
  return appendEvents({ ...pass, announced }, now, ...due.map(({ eventType }) => ({ eventType, timestamp: now })));
}

/** Returns when the next expiry event of the pass is due; undefined: no event is left. */
export function nextExpiryEventAt(pass: Pass, now: UnixSeconds, noticeSeconds: number): UnixSeconds | undefined {
  const times = expiryEventsOf(pass, now, noticeSeconds).map(({ at }) => at);
  return times.length === 0 ? undefined : Math.min(...times);
}

interface ExpiryEvent extends AnnouncedExpiry {
  readonly at: UnixSeconds;
}

/** Returns the expiry events that the record lacks. A token that is not valid, not even once it is unfrozen, has none. */
function expiryEventsOf(pass: Pass, now: UnixSeconds, noticeSeconds: number): ExpiryEvent[] {
  const { onChain, announced = [] } = pass;
  const { expiry } = onChain;
  if (expiry === undefined || !hasValidToken(onChain)) return [];
  const spread = spreadOf(pass);
  const notice = expiry - noticeSeconds;
  // A notice after the expiry is pointless. A lifetime that is shorter than the notice period needs none.
  const hasNotice = noticeSeconds > 0 && !isExpired(onChain, now) && expiryRequestedAt(pass) <= notice;
  const events: ExpiryEvent[] = [
    ...(hasNotice ? [{ eventType: 'TOKEN_EXPIRING', expiry, at: notice + spread } as const] : []),
    // The contract counts the second of the expiry as valid.
    { eventType: 'TOKEN_EXPIRED', expiry, at: expiry + 1 + spread },
  ];
  return events.filter((event) => !announced.some((each) => isSame(each, event)));
}

function isSame(a: AnnouncedExpiry, b: AnnouncedExpiry): boolean {
  return a.eventType === b.eventType && a.expiry === b.expiry;
}

/**
 * Returns when the expiry of the token was requested, or found on chain; 0 if the record does not show it. A slow chain shortens no
 * lifetime.
 */
function expiryRequestedAt({ events }: Pass): UnixSeconds {
  const set = events.findLast(({ eventType }) => eventType === 'TOKEN_ISSUED' || eventType === 'TOKEN_EXPIRY_CHANGED');
  const id = set?.transaction?.identifier;
  const requested = events.find(({ transaction }) => id !== undefined && transaction?.identifier === id);
  return (requested ?? set)?.timestamp ?? 0;
}

/** The end of a UUIDv7 is random. */
function spreadOf({ id, key }: Pass): number {
  return Number.parseInt(id.slice(-8), 16) % rulesFor(key.gatekeeperNetwork).expirySpreadSeconds;
}
