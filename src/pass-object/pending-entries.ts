import type { AuditEntry } from '../audit/entry.ts';
import { entryOfChange, type Requester, type RequestType } from '../pass/audit-entries.ts';
import type { Pass } from '../pass/pass.ts';

/** The entries of a pass that the audit trail may lack. Their numbers are 1, 2, 3 … */
export interface PendingEntries {
  /** Number of the newest entry. */
  readonly last: number;
  /** Number of the newest entry that the trail is known to have. */
  readonly appended: number;
  /** The entries after that one. */
  readonly inPass: readonly AuditEntry[];
  /** Whether rows of their own have entries: the later ones, or those that the trail has by now. */
  readonly hasRows?: true | undefined;
}

/** Entries for the trail, in order. */
export interface EntriesToAppend {
  readonly entries: readonly AuditEntry[];
  /** Number of the newest one: the trail has all entries up to it once it has these. */
  readonly last: number;
}

const NONE: PendingEntries = { last: 0, appended: 0, inPass: [] };
const ENTRIES = 'audit:';
/** Maximum number of entries in the row of a pass, and in a call of the trail. */
const ROW_MAX_ENTRIES = 50;

const rowOf = (n: number) => `${ENTRIES}${String(n).padStart(8, '0')}`;

/** Whether the trail is known to have all entries. */
export const isAppended = ({ last, appended }: PendingEntries = NONE) => last === appended;

/**
 * Adds an entry. Only if the pass has many already, it uses a row of its own. So a pass keeps all its entries however long the trail is
 * unavailable.
 */
export function addEntry(
  kv: SyncKvStorage,
  { last, appended, inPass, hasRows }: PendingEntries = NONE,
  entryOf: (n: number) => AuditEntry,
): PendingEntries {
  const n = last + 1;
  const isInPass = last === appended + inPass.length && inPass.length < ROW_MAX_ENTRIES;
  if (isInPass) return { last: n, appended, inPass: [...inPass, entryOf(n)], hasRows };
  kv.put(rowOf(n), entryOf(n));
  return { last: n, appended, inPass, hasRows: true };
}

/** Returns the pending entries without those that the trail has. Writes nothing. */
export function withoutAppended(entries: PendingEntries | undefined, appended: number): PendingEntries | undefined {
  if (entries === undefined || appended <= entries.appended) return entries;
  return { ...entries, appended, inPass: entries.inPass.slice(appended - entries.appended) };
}

/** Deletes the rows that the trail has. Returns what the pass stores. */
export function dropRows(kv: SyncKvStorage, entries: PendingEntries | undefined): PendingEntries | undefined {
  if (!entries?.hasRows) return entries;
  const { last, appended, inPass } = entries;
  for (const [key] of kv.list({ prefix: ENTRIES, end: rowOf(appended + 1) })) kv.delete(key);
  return last === appended + inPass.length ? { ...entries, hasRows: undefined } : entries;
}

/** Returns the first entries that the trail may lack, in order. */
export function firstEntries(kv: SyncKvStorage, { appended, inPass, hasRows }: PendingEntries = NONE): EntriesToAppend {
  const list = { prefix: ENTRIES, start: rowOf(appended + 1), limit: ROW_MAX_ENTRIES };
  const areRows = inPass.length === 0 && hasRows;
  const entries = areRows ? [...kv.list<AuditEntry>(list)].map(([, entry]) => entry) : inPass;
  return { entries, last: appended + entries.length };
}

/** A request that may change the pass. */
export interface Requested {
  readonly type: RequestType;
  readonly client: string;
  readonly by?: Requester | undefined;
  /** It waits until the pass is settled. */
  readonly waits?: boolean;
}

/** Returns the function that makes the entry of a requested change from its number. */
export function entryOfRequest(
  before: Pass | undefined,
  after: Pass,
  { type, client, by = { actor: { client } } }: Requested,
) {
  const now = Date.now();
  return (n: number) => entryOfChange(type, before, after, by, n, now);
}
