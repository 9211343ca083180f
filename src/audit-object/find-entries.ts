import type { AuditEntry, ChainedEntry, TrailPlace } from '../audit/entry.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { MINUTE_MS } from '../lib/time.ts';

/** The entries to read. An undefined field matches all. */
export interface TrailQuery {
  /** The sequence to continue from: the `next` of the page before. */
  readonly after?: number | undefined;
  readonly limit: number;
  /** Undefined: oldest first. */
  readonly newestFirst?: boolean | undefined;
  /** Id of a pass. */
  readonly pass?: string | undefined;
  readonly client?: string | undefined;
  readonly action?: string | undefined;
  /** The first millisecond of the changes, and the last one. */
  readonly from?: Milliseconds | undefined;
  readonly to?: Milliseconds | undefined;
}

/** A page of a trail. */
export interface TrailPage {
  readonly entries: readonly ChainedEntry[];
  /** The last sequence that was read, whether its entry matches or not. */
  readonly next: number;
  /** Whether there may be further entries. A page may have none, and still be followed by others. */
  readonly more: boolean;
  /** The place after the newest entry. */
  readonly head: TrailPlace;
  /** The place before the oldest entry that is left. */
  readonly start: TrailPlace;
}

/** Maximum number of entries that a page reads to find those that match. */
const SCAN_MAX_ENTRIES = 2_000;
/** The clocks of two objects differ by less. */
const CLOCK_SKEW_MS = 5 * MINUTE_MS;

type Row = Pick<TrailPlace & ChainedEntry, 'sequence' | 'text' | 'hash'>;
type Ends = Pick<TrailPage, 'start' | 'head'>;

/** Returns the entries that match, in their order. */
export function findEntries(sql: SqlStorage, query: TrailQuery, ends: Ends): Omit<TrailPage, keyof Ends> {
  const { after, limit } = query;
  const entries: ChainedEntry[] = [];
  let next = after ?? 0;
  let read = 0;
  for (const { sequence, ...entry } of rowsOf(sql, query, ends)) {
    if (entries.length === limit || read === SCAN_MAX_ENTRIES) return { entries, next, more: true };
    next = sequence;
    read += 1;
    if (matches(JSON.parse(entry.text) as AuditEntry, query)) entries.push(entry);
  }
  return { entries, next, more: false };
}

/** The keys of a pass's entries begin with its id, so that an index finds them. Reads one row more than a page. */
function rowsOf(sql: SqlStorage, { after, newestFirst, pass, from }: TrailQuery, ends: Ends): SqlStorageCursor<Row> {
  const first = from === undefined ? 0 : firstSince(sql, from - CLOCK_SKEW_MS, ends);
  const above = newestFirst ? first - 1 : Math.max(first - 1, after ?? 0);
  const below = newestFirst ? (after ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER;
  const of = pass === undefined ? '' : 'INDEXED BY audit_entry_key';
  const keys = pass === undefined ? '' : 'AND key >= ? AND key < ?';
  // "0" is the character after "/".
  const bounds = pass === undefined ? [] : [`${pass}/`, `${pass}0`];
  const order = newestFirst ? 'DESC' : 'ASC';
  return sql.exec<Row>(
    `SELECT sequence, text, hash FROM audit_entry ${of} WHERE sequence > ? AND sequence < ? ${keys}
     ORDER BY sequence ${order} LIMIT ${SCAN_MAX_ENTRIES + 1}`,
    above,
    below,
    ...bounds,
  );
}

function matches({ at, actor, action }: AuditEntry, query: TrailQuery): boolean {
  const time = Date.parse(at);
  return (
    (query.client === undefined || actor.client === query.client) &&
    (query.action === undefined || action === query.action) &&
    (query.from === undefined || time >= query.from) &&
    (query.to === undefined || time <= query.to)
  );
}

/** Returns the sequence of the first entry that was appended since then. An entry is appended after its change, perhaps much later. */
function firstSince(sql: SqlStorage, time: Milliseconds, { start, head }: Ends): number {
  let low = start.sequence + 1;
  let high = head.sequence + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [{ at } = { at: 0 }] = sql.exec<{ at: number }>(APPENDED_AT, middle).toArray();
    if (at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

const APPENDED_AT = 'SELECT appended_ms AS at FROM audit_entry WHERE sequence = ?';
