import type { Milliseconds, UnixSeconds } from '../lib/brand.ts';
import { collectFeedEvents } from '../pass/feed-events.ts';
import type { Pass, PassFeed } from '../pass/pass.ts';
import { splitEvents } from '../pass/record.ts';
import type { AwaitedRequest } from '../pass/settlement.ts';
import type { FeedEvent } from '../pass/vocabulary.ts';
import { dropRows, isAppended, type PendingEntries, withoutAppended } from './pending-entries.ts';

/** The part of a pass that D1 is known to have. It may have more. */
export interface Published {
  /** The newest version in the read model; 0: none. */
  readonly version: number;
  /** Number of the newest event in the feed; 0: none. */
  readonly eventsInFeed: number;
}

/** The parts of a pass that others are known to have. */
export interface Reported extends Published {
  /** Number of the newest entry in the audit trail; 0: none. */
  readonly entriesInTrail: number;
}

/** The entry of a pass in the operator's list of unsettled passes. */
interface ListEntry {
  readonly since: UnixSeconds;
  /** Whether D1 is known to have it. If not, it may have it all the same. */
  readonly isWritten: boolean;
}

/** Number of changes on one day. */
export interface DayOfChanges {
  /** Days since 1970 (UTC). */
  readonly day: number;
  readonly count: number;
}

export interface StoredPass {
  readonly pass: Pass;
  readonly published: Published;
  /** How often the alarm has fired since the last change. */
  readonly tries: number;
  /** Since when the pass has been unsettled; undefined: it is settled. */
  readonly unsettledSince?: UnixSeconds | undefined;
  /** The request whose effect D1 does not show yet; undefined: none. The metrics count its time. */
  readonly awaited?: AwaitedRequest | undefined;
  /** Undefined: none. Otherwise it must be removed once the pass is settled. */
  readonly listed?: ListEntry | undefined;
  /** When the newest step was pinned; undefined: there was none. */
  readonly pinnedAt?: Milliseconds | undefined;
  /** Number of changes by partners on the last day that had any. */
  readonly changes?: DayOfChanges | undefined;
  /** The entries of its changes that the audit trail may lack; undefined: there never was one. */
  readonly audit?: PendingEntries | undefined;
  /** Number of older events that were moved to rows of their own. */
  readonly olderEvents: number;
}

const KEY = 'pass';
const OLDER_EVENTS = 'event:';
const FEED_EVENTS = 'feed:';
/** Maximum number of feed events in the row of a pass, and in a publication. */
const ROW_MAX_FEED_EVENTS = 100;

const keyOf = (prefix: string, n: number) => `${prefix}${String(n).padStart(8, '0')}`;

/** Whether the read model has the newest version of the pass, and the feed all its events. */
export function isPublished({ pass, published }: Pick<StoredPass, 'pass' | 'published'>): boolean {
  return published.version === pass.version && published.eventsInFeed >= pass.feed.last;
}

/** Whether also the audit trail has all entries of the pass. */
export function isReported(stored: Pick<StoredPass, 'pass' | 'published' | 'audit'>): boolean {
  return isPublished(stored) && isAppended(stored.audit);
}

/**
 * Returns the stored pass with the first events that the feed may lack; undefined if there is none. It writes nothing, so an
 * object that was only read leaves no trace.
 * @param known The parts that others are known to have, if that is more than the object has stored.
 */
export function loadPass({ kv }: DurableObjectStorage, known?: Reported): StoredPass | undefined {
  const stored = kv.get<StoredPass>(KEY);
  return stored === undefined || known === undefined ? stored : withKnown({ kv }, stored, known);
}

/** Returns the stored pass with the parts that others are known to have, and the first events that the feed may lack. */
export function withKnown({ kv }: Pick<DurableObjectStorage, 'kv'>, stored: StoredPass, known: Reported): StoredPass {
  const { version, eventsInFeed } = stored.published;
  const published = {
    version: Math.max(version, known.version),
    eventsInFeed: Math.max(eventsInFeed, known.eventsInFeed),
  };
  const audit = withoutAppended(stored.audit, known.entriesInTrail);
  return fillPending(kv, { ...stored, published, audit });
}

/**
 * Stores the pass, with the feed events of its new entries, in one row. Only if its history or its pending events are too many,
 * it uses rows of their own. Synchronous, so that it commits together with an alarm that is set in the same turn.
 * @param before The pass as it was loaded in this turn; undefined: there was none.
 */
export function savePass({ kv }: DurableObjectStorage, given: StoredPass, before: Pass | undefined): StoredPass {
  const pass = collectFeedEvents(before, given.pass);
  const { recent, older } = splitEvents(pass.events);
  for (const [index, event] of older.entries()) kv.put(keyOf(OLDER_EVENTS, given.olderEvents + index), event);
  const stored = storePending(kv, {
    ...given,
    pass: { ...pass, events: recent, feed: { ...pass.feed, examined: recent.length } },
    audit: dropRows(kv, given.audit),
    olderEvents: given.olderEvents + older.length,
  });
  kv.put(KEY, stored);
  return stored;
}

/** Returns the pass with its first pending events, as a publication carries them. Writes nothing. */
function fillPending(kv: SyncKvStorage, stored: StoredPass): StoredPass {
  const { pass, published } = stored;
  const { last } = pass.feed;
  const pending = eventsAfter(kv, published.eventsInFeed, pass.feed);
  const inRows = last - (pending.at(-1)?.n ?? last);
  return { ...stored, pass: { ...pass, feed: { ...pass.feed, pending, inRows: inRows > 0 ? inRows : undefined } } };
}

/** Returns the first events after that number, in order and without a gap, from the row of the pass and the rows of their own. */
function eventsAfter(kv: SyncKvStorage, number: number, { pending, last }: PassFeed): readonly FeedEvent[] {
  const inPass = pending.filter(({ n }) => n > number);
  const isComplete = inPass.length >= last - number;
  const list = { prefix: FEED_EVENTS, start: keyOf(FEED_EVENTS, number + 1), limit: ROW_MAX_FEED_EVENTS };
  const rows = isComplete ? [] : [...kv.list<FeedEvent>(list)].map(([, event]) => event);
  const known = new Map([...rows, ...inPass].map((event) => [event.n, event]));
  const ordered = [...known.values()].toSorted((a, b) => a.n - b.n).slice(0, ROW_MAX_FEED_EVENTS);
  // Later rows may lie between those that were read and the newest events.
  return ordered.filter(({ n }, index) => n === number + 1 + index);
}

/**
 * Returns the pass with its first pending events, and stores the others in rows of their own. So a pass keeps all its events
 * however long the database is unavailable. Once the feed has the first ones, the next ones take their place.
 */
function storePending(kv: SyncKvStorage, given: StoredPass): StoredPass {
  const stored = fillPending(kv, given);
  const { last, inRows = 0 } = stored.pass.feed;
  if (inRows === 0 && given.pass.feed.inRows === undefined) return stored;
  const lastInPass = last - inRows;
  for (const [key] of kv.list({ prefix: FEED_EVENTS, end: keyOf(FEED_EVENTS, lastInPass + 1) })) kv.delete(key);
  for (const event of given.pass.feed.pending) if (event.n > lastInPass) kv.put(keyOf(FEED_EVENTS, event.n), event);
  return stored;
}
