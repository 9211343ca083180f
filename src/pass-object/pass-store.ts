import { collectFeedEvents, eventsInFeedOf } from '../pass/feed-events.ts';
import type { Pass } from '../pass/pass.ts';
import { splitEvents } from '../pass/record.ts';
import { storePending } from './pending-events.ts';

/** The version that the read model has, and since when the operator's list shows the pass as unsettled (Unix seconds). */
interface WrittenByAlarm {
  readonly version: number;
  readonly since?: number | undefined;
}

/** Number of changes on one day. */
export interface DayOfChanges {
  /** Days since 1970 (UTC). */
  readonly day: number;
  readonly count: number;
}

export interface StoredPass {
  readonly pass: Pass;
  /** How often the alarm has fired since the last change. */
  readonly tries: number;
  /** Number of older events that were moved to rows of their own. */
  readonly older: number;
  /** Since when the pass has been unsettled (Unix seconds); undefined: it is settled. */
  readonly since?: number | undefined;
  /** Whether the operator's list may have the pass. If so, it must be removed from the list once it is settled. */
  readonly listed?: boolean | undefined;
  /** The last write of an alarm to D1: no alarm writes the same again. Undefined: unknown. */
  readonly written?: WrittenByAlarm | undefined;
  /** Number of changes by partners on the last day that had any. */
  readonly changes?: DayOfChanges | undefined;
  /** When the newest step was pinned (milliseconds). */
  readonly takenAt?: number;
}

/** Returns the stored pass; undefined if there is none. It writes nothing, so an object that was only read leaves no trace. */
export function loadPass(storage: DurableObjectStorage): StoredPass | undefined {
  return storage.kv.get<StoredPass>('pass');
}

/**
 * Stores the pass, with the feed events of its new entries, in one row. Only if its history or its pending events are too many,
 * it uses rows of their own. Synchronous, so that it commits together with an alarm that is set in the same turn.
 */
export function savePass(
  storage: DurableObjectStorage,
  { pass: given, older: before, ...rest }: StoredPass,
): StoredPass {
  const pass = collectFeedEvents(loadPass(storage)?.pass, given);
  const { recent, older } = splitEvents(pass.events);
  for (const [index, event] of older.entries()) {
    storage.kv.put(`event:${String(before + index).padStart(8, '0')}`, event);
  }
  const feed = pass.feed && { ...pass.feed, examined: recent.length };
  const kept = storePending(storage.kv, { ...pass, events: recent, ...(feed && { feed }) });
  const stored: StoredPass = { ...rest, pass: kept, older: before + older.length };
  storage.kv.put('pass', stored);
  return stored;
}

/** Whether the read model has the newest version of the pass, and the feed its events, as an alarm wrote them. */
export function isWritten({ pass, written }: StoredPass): boolean {
  const { feed } = pass;
  return written?.version === pass.version && (feed === undefined || eventsInFeedOf(feed) >= feed.last);
}
