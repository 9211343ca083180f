import type { AuditEntry } from '../audit/entry.ts';
import type { Milliseconds, UnixSeconds } from '../lib/units.ts';
import { collectFeedEvents } from '../pass/feed-events.ts';
import type { Pass } from '../pass/pass.ts';
import { splitEvents } from '../pass/record.ts';
import type { AwaitedRequest } from '../pass/requests.ts';

/** The parts of a pass that others are known to have. They may have more. */
export interface Sent {
  /** The newest version in the read model; 0: none. */
  readonly version: number;
  /** Number of the newest event in the feed; 0: none. */
  readonly eventsInFeed: number;
  /** Number of the newest entry in the audit trail; 0: none. */
  readonly entriesInTrail: number;
}

export const NOTHING_SENT: Sent = { version: 0, eventsInFeed: 0, entriesInTrail: 0 };

/** Returns the larger position of each. */
export function mostOf(a: Sent, b: Partial<Sent>): Sent {
  const { version = 0, eventsInFeed = 0, entriesInTrail = 0 } = b;
  return {
    version: Math.max(a.version, version),
    eventsInFeed: Math.max(a.eventsInFeed, eventsInFeed),
    entriesInTrail: Math.max(a.entriesInTrail, entriesInTrail),
  };
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

/** An item for a sink outside the pass object. The items of a pass count 1, 2, 3 … for each sink. */
interface Numbered {
  readonly n: number;
}

/** The items that a sink may lack. */
interface PendingItems<T extends Numbered> {
  /** Number of the newest item; 0: none. */
  readonly last: number;
  /** The first ones, in order. */
  readonly pending: readonly T[];
  /** Number of later ones, which are in rows of their own; undefined: there are no such rows, 0: they only have these or earlier ones. */
  readonly inRows?: number | undefined;
}

/** An entry for the audit trail. */
interface NumberedEntry {
  readonly n: number;
  readonly entry: AuditEntry;
}

export interface StoredPass {
  readonly pass: Pass;
  readonly sent: Sent;
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
  readonly entries?: PendingItems<NumberedEntry> | undefined;
  /** Number of older events that were moved to rows of their own. */
  readonly olderEvents: number;
}

/** Where the items of a sink are that the row of the pass has no room for. */
interface Overflow {
  readonly prefix: string;
  /** Maximum number of items in the row of the pass, and in a call of the sink. */
  readonly max: number;
}

const FEED: Overflow = { prefix: 'feed:', max: 100 };
const TRAIL: Overflow = { prefix: 'audit:', max: 50 };

const keyOf = (prefix: string, n: number) => `${prefix}${String(n).padStart(8, '0')}`;

const KEY = 'pass';
const OLDER_EVENTS = 'event:';

/** Whether the read model has the newest version of the pass, and the feed all its events. */
export function isPublished({ pass, sent }: Pick<StoredPass, 'pass' | 'sent'>): boolean {
  return sent.version === pass.version && sent.eventsInFeed >= pass.feed.last;
}

/** Whether also the audit trail has all entries of the pass. */
export function isReported(stored: Pick<StoredPass, 'pass' | 'sent' | 'entries'>): boolean {
  return isPublished(stored) && stored.sent.entriesInTrail >= (stored.entries?.last ?? 0);
}

/**
 * Returns the stored pass with the first items that others may lack; undefined if there is none. It writes nothing, so an object that was
 * only read leaves no trace.
 * @param known The parts that others are known to have, if that is more than the object has stored.
 */
export function loadPass({ kv }: DurableObjectStorage, known?: Sent): StoredPass | undefined {
  const stored = kv.get<StoredPass>(KEY);
  return stored === undefined || known === undefined ? stored : withKnown({ kv }, stored, known);
}

/** Returns the stored pass with the parts that others are known to have, and the first items that they may lack. */
export function withKnown({ kv }: Pick<DurableObjectStorage, 'kv'>, stored: StoredPass, known: Sent): StoredPass {
  const sent = mostOf(stored.sent, known);
  const feed = pendingAfter(kv, FEED, stored.pass.feed, sent.eventsInFeed);
  const entries = stored.entries && pendingAfter(kv, TRAIL, stored.entries, sent.entriesInTrail);
  return { ...stored, sent, pass: { ...stored.pass, feed }, entries };
}

/**
 * Stores the pass, with the feed events of its new entries, in one row. Only if its history or its pending items are too many,
 * it uses rows of their own. Synchronous, so that it commits together with an alarm that is set in the same turn.
 * @param before The pass as it was loaded in this turn; undefined: there was none.
 */
export function savePass({ kv }: DurableObjectStorage, given: StoredPass, before: Pass | undefined): StoredPass {
  const { sent, entries } = given;
  const pass = collectFeedEvents(before, given.pass);
  const { recent, older } = splitEvents(pass.events);
  for (const [index, event] of older.entries()) kv.put(keyOf(OLDER_EVENTS, given.olderEvents + index), event);
  const feed = storePending(kv, FEED, { ...pass.feed, examined: recent.length }, sent.eventsInFeed);
  const stored = {
    ...given,
    pass: { ...pass, events: recent, feed },
    entries: entries && storePending(kv, TRAIL, entries, sent.entriesInTrail),
    olderEvents: given.olderEvents + older.length,
  };
  kv.put(KEY, stored);
  return stored;
}

/** Returns the first items after the number `sent`, from the row of the pass and from rows of their own. Writes nothing. */
function pendingAfter<T extends Numbered, Q extends PendingItems<T>>(
  kv: SyncKvStorage,
  { prefix, max }: Overflow,
  items: Q & PendingItems<T>,
  sent: number,
): Q {
  const { last } = items;
  const inPass = items.pending.filter(({ n }) => n > sent);
  const isComplete = inPass.length >= last - sent;
  if (isComplete && inPass.length <= max) return { ...items, pending: inPass, inRows: items.inRows && 0 };
  const rows = isComplete ? [] : [...kv.list<T>({ prefix, start: keyOf(prefix, sent + 1), limit: max })];
  const known = new Map([...rows.map(([, item]) => item), ...inPass].map((item) => [item.n, item]));
  const ordered = [...known.values()].toSorted((a, b) => a.n - b.n).slice(0, max);
  // Later rows may lie between those that were read and the newest items.
  const pending = ordered.filter(({ n }, index) => n === sent + 1 + index);
  const inRows = last - (pending.at(-1)?.n ?? last);
  return { ...items, pending, inRows: inRows > 0 ? inRows : items.inRows && 0 };
}

/**
 * Returns the same, and stores the other items in rows of their own. So a pass keeps all of them however long the sink is unavailable.
 * Once the sink has the first ones, the next ones take their place.
 */
function storePending<T extends Numbered, Q extends PendingItems<T>>(
  kv: SyncKvStorage,
  overflow: Overflow,
  items: Q & PendingItems<T>,
  sent: number,
): Q {
  const stored = pendingAfter<T, Q>(kv, overflow, items, sent);
  const { last, inRows = 0 } = stored;
  if (stored.inRows === undefined) return stored;
  const { prefix } = overflow;
  const lastInPass = last - inRows;
  for (const [key] of kv.list({ prefix, end: keyOf(prefix, lastInPass + 1) })) kv.delete(key);
  for (const item of items.pending) if (item.n > lastInPass) kv.put(keyOf(prefix, item.n), item);
  return { ...stored, inRows: inRows || undefined };
}
