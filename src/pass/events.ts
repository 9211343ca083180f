import type { UnixSeconds } from '../lib/units.ts';
import { rulesFor } from '../network/sandbox.ts';
import { type AnnouncedExpiry, hasValidToken, isReorged, type Pass, type PassEvent } from './pass.ts';
import { RECORD_MAX_EVENTS } from './record.ts';
import { isExpired } from './verdict.ts';
import { CHANGES, type Change } from './vocabulary.ts';

/**
 * Returns the pass after a change that its record shows: the next version, with these events and the events that follow from
 * them. `now` in Unix seconds.
 */
export function appendEvents(pass: Pass, now: UnixSeconds, ...events: PassEvent[]): Pass {
  const next = addEvents({ ...pass, version: pass.version + 1 }, events);
  if (next.step !== undefined || isReorged(next)) return next;
  const ended = addEvents(next, concludingEvents(next, now));
  // A revocation cancels all other requests, so the wanted expiry is that of the chain.
  return isRevoked(ended) ? { ...ended, wanted: { ...ended.wanted, expiry: ended.onChain.expiry } } : ended;
}

/** Adds the events, each with the id of the request that caused it. */
function addEvents(pass: Pass, events: readonly PassEvent[]): Pass {
  const added = events.map((event) => {
    const requestId = event.requestId ?? requestIdOf(pass, event);
    return requestId === undefined ? event : { ...event, requestId };
  });
  return { ...pass, events: [...pass.events, ...added] };
}

/** A change by others has no request. An event that follows from another one of the same change has the request of that one. */
function requestIdOf(
  { requestIds, events }: Pass,
  { eventType, transaction, byOthers }: PassEvent,
): string | undefined {
  const change = CHANGES.find((each) => eventType.startsWith(each));
  if (change === undefined || byOthers !== undefined) return undefined;
  if (eventType === `${change}_INITIATED`)
    return change === 'TOKEN_EXPIRY_CHANGED' ? requestIds?.expiry : requestIds?.state;
  const identifier = transaction?.identifier;
  const earlier = identifier && events.findLast((event) => event.transaction?.identifier === identifier);
  return (earlier || initiatedEventOf(events, change))?.requestId;
}

/** Whether the revocation is done: its transaction is confirmed, or a final block shows no valid token. */
function isRevoked({ wanted, onChain, revokedBy }: Pass): boolean {
  return wanted.state === 'REVOKED' && revokedBy !== undefined && !hasValidToken(onChain);
}

/** Returns the event that began or reorged a change which has not ended since; undefined if there is none. */
export function openEventOf(events: readonly PassEvent[], change: Change): PassEvent | undefined {
  const open: readonly string[] = [`${change}_INITIATED`, `${change}_REORGED`];
  const types = [...open, change, `${change}_FAILED`];
  const last = events.findLast(({ eventType }) => types.includes(eventType));
  // A full record lacks the events after its first one, which may have ended the issuance.
  if (last === events[0] && events.length >= RECORD_MAX_EVENTS) return undefined;
  return last && open.includes(last.eventType) ? last : undefined;
}

/** Returns the newest event that began the change. It gets the transaction of the change's step. */
export function initiatedEventOf(events: readonly PassEvent[], change: Change): PassEvent | undefined {
  return events.findLast(({ eventType }) => eventType === `${change}_INITIATED`);
}

/**
 * Returns the events of changes that end without a step, because they are no longer wanted or already true on chain. (While
 * a step is pinned, or a past one is off the chain, no change ends.)
 */
function concludingEvents(pass: Pass, timestamp: UnixSeconds): PassEvent[] {
  const open = CHANGES.filter((change) => openEventOf(pass.events, change));
  const superseded = open.filter((change) => !isWanted(pass, change));
  // A reorg may fulfill a change, because it removes the transaction that the change was to undo.
  const fulfilled = open.filter((change) => hasComeTrue(pass, change));
  return [
    ...superseded.map((change): PassEvent => ({ eventType: `${change}_FAILED`, timestamp, reason: 'superseded' })),
    ...fulfilled.map((eventType): PassEvent => ({ eventType, timestamp })),
  ];
}

function isWanted({ wanted, onChain, rejected }: Pass, change: Change): boolean {
  if (rejected) return false;
  switch (change) {
    case 'TOKEN_ISSUED':
      return onChain.state === 'NONE' && wanted.state !== 'REVOKED';
    case 'TOKEN_FROZEN':
      return wanted.state === 'FROZEN';
    case 'TOKEN_UNFROZEN':
      return wanted.state === 'ACTIVE';
    case 'TOKEN_REVOKED':
      return wanted.state === 'REVOKED';
    case 'TOKEN_EXPIRY_CHANGED':
      return wanted.state !== 'REVOKED' && wanted.expiry !== onChain.expiry;
  }
}

/** Whether the change came true without a step. */
function hasComeTrue(pass: Pass, change: Change): boolean {
  const { wanted, onChain } = pass;
  switch (change) {
    case 'TOKEN_FROZEN':
      return wanted.state === 'FROZEN' && onChain.state === 'FROZEN';
    case 'TOKEN_UNFROZEN':
      return wanted.state === 'ACTIVE' && onChain.state === 'ACTIVE';
    case 'TOKEN_REVOKED':
      return isRevoked(pass);
    case 'TOKEN_ISSUED':
    case 'TOKEN_EXPIRY_CHANGED':
      return false;
  }
}

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
