import type { Actor, AuditEntry } from '../audit/entry.ts';
import { DAY_MS, type Milliseconds } from '../lib/units.ts';

/** An action of the operator that waits for a second person, or that one has confirmed. It ends after a day. */
export interface Approval extends Pick<BegunEntry, 'at' | 'action' | 'actor' | 'reason'> {
  /** Id of the request that asked for it. */
  readonly id: string;
  /** The JSON of the request's body. The action may do nothing else. */
  readonly input: string;
  /** Maximum number of items that are left to do. */
  readonly count: number;
  /** Unix milliseconds. */
  readonly expires: Milliseconds;
  readonly confirmedBy?: Actor | undefined;
}

/** An action whose size decides whether it waits. */
export interface WeighedAction {
  readonly input: string;
  /** Maximum number of items that the action does within a day without a second person. */
  readonly limit: number;
  /** Number of items that are left to do. */
  readonly left: number;
  /** Maximum number of items that this request does. */
  readonly slice: number;
}

/** Why an approval does not allow an action. */
export type ApprovalRefusal = 'unknown' | 'unconfirmed' | 'confirmed' | 'differs' | 'same-person' | 'too-many';

/** The part of a begun action that only a waiting one has. */
type Asked = Pick<Approval, 'input' | 'count' | 'confirmedBy'>;
type Row = { readonly key: string; readonly entry: string; readonly until_ms: number; readonly approval: string };
/** An action that has begun. */
export type BegunEntry = Omit<AuditEntry, 'outcome'>;
type Append = (entry: AuditEntry) => void;

/** A begun action with an approval waits for a second person. `counted_action` has the items that needed nobody. */
export const ACTION_TABLES = `
  CREATE TABLE IF NOT EXISTS begun_action (key TEXT PRIMARY KEY, entry TEXT NOT NULL, until_ms INTEGER NOT NULL, approval TEXT)
    WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS counted_action (key TEXT PRIMARY KEY, action TEXT NOT NULL, at_ms INTEGER NOT NULL, count INTEGER NOT NULL)
    WITHOUT ROWID;`;

const APPROVALS_MAX = 100;
const VALID = 'FROM begun_action WHERE approval IS NOT NULL AND until_ms > ?';

/** Stores an action before it happens. */
export function beginAction(sql: SqlStorage, entry: BegunEntry, until: Milliseconds): void {
  const insert = 'INSERT INTO begun_action (key, entry, until_ms) VALUES (?, ?, ?)';
  sql.exec(insert, entry.key, JSON.stringify(entry), until);
}

/** Ends an action and returns it; undefined if it does not exist. An action that waits has its entry already, and keeps waiting. */
export function endAction(sql: SqlStorage, key: string): BegunEntry | undefined {
  const ended = 'DELETE FROM begun_action WHERE key = ? AND approval IS NULL RETURNING entry';
  const [row] = sql.exec<Pick<Row, 'entry'>>(ended, key).toArray();
  return row && (JSON.parse(row.entry) as BegunEntry);
}

/** Returns the keys of the actions that have not ended in time. */
export function findLostActions(sql: SqlStorage, now: Milliseconds): string[] {
  const lost = 'SELECT key FROM begun_action WHERE approval IS NULL AND until_ms <= ?';
  return sql
    .exec<Pick<Row, 'key'>>(lost, now)
    .toArray()
    .map(({ key }) => key);
}

/** Returns when the next begun action is due. */
export function nextActionAt(sql: SqlStorage): Milliseconds | undefined {
  return sql.exec<{ at: number | null }>('SELECT min(until_ms) AS at FROM begun_action').one().at ?? undefined;
}

export function listApprovals(sql: SqlStorage, now: Milliseconds): Approval[] {
  return sql.exec<Row>(`SELECT * ${VALID} ORDER BY until_ms`, now).toArray().map(approvalOf);
}

/**
 * Counts the items of a begun action, or makes the action wait. The items of a day count together, so that many small requests do
 * no more than a large one. A repeated request gets the approval that waits already.
 */
export function weighAction(
  sql: SqlStorage,
  key: string,
  { input, limit, left, slice }: WeighedAction,
  now: Milliseconds,
  append: Append,
): Approval | 'too-many' | undefined {
  const entry = begunEntry(sql, key);
  sql.exec('DELETE FROM counted_action WHERE at_ms <= ?', now - DAY_MS);
  const sum = 'SELECT coalesce(sum(count), 0) AS n FROM counted_action WHERE action = ?';
  const { n } = sql.exec<{ n: number }>(sum, entry.action).one();
  if (n + left <= limit) {
    const count = Math.min(left, slice);
    if (count > 0) sql.exec('INSERT INTO counted_action VALUES (?, ?, ?, ?)', key, entry.action, now, count);
    return undefined;
  }
  const waiting = listApprovals(sql, now);
  const { client, sub } = entry.actor;
  const same = waiting.find(
    ({ action, actor, ...each }) =>
      action === entry.action && each.input === input && actor.client === client && actor.sub === sub,
  );
  if (same !== undefined) return same;
  if (waiting.length >= APPROVALS_MAX) return 'too-many';
  const asked: Asked = { input, count: left };
  const until = now + DAY_MS;
  sql.exec('UPDATE begun_action SET approval = ?, until_ms = ? WHERE key = ?', JSON.stringify(asked), until, key);
  append({ ...entry, outcome: { type: 'waits', approval: key } });
  const { at, action, actor, reason } = entry;
  return { id: key, at, action, actor, reason, expires: until, ...asked };
}

/** Confirms or rejects an approval. A rejected one is gone. */
export function decideApproval(
  sql: SqlStorage,
  id: string,
  by: Actor,
  isConfirmed: boolean,
  now: Milliseconds,
): Approval | ApprovalRefusal {
  const approval = findApproval(sql, id, now);
  if (approval === undefined) return 'unknown';
  // An issuer may let a person change the case of the name.
  if (by.sub?.toLowerCase() === approval.actor.sub?.toLowerCase()) return 'same-person';
  if (approval.confirmedBy !== undefined && isConfirmed) return 'confirmed';
  if (isConfirmed) save(sql, { ...approval, confirmedBy: by });
  else sql.exec('DELETE FROM begun_action WHERE key = ?', id);
  return approval;
}

/** Returns the confirmed approval of exactly that begun action, or why there is none. */
export function findConfirmed(
  sql: SqlStorage,
  key: string,
  id: string,
  input: string,
  now: Milliseconds,
): Approval | ApprovalRefusal {
  const approval = findApproval(sql, id, now);
  if (approval === undefined) return 'unknown';
  if (approval.action !== begunEntry(sql, key).action || approval.input !== input) return 'differs';
  return approval.confirmedBy === undefined ? 'unconfirmed' : approval;
}

/** Takes the items that are done from an approval. Without any left, it ends. */
export function spendApproval(sql: SqlStorage, id: string, count: number, hasMore: boolean, now: Milliseconds): void {
  const approval = findApproval(sql, id, now);
  if (approval === undefined) return;
  if (hasMore) save(sql, { ...approval, count: Math.max(0, approval.count - count) });
  else sql.exec('DELETE FROM begun_action WHERE key = ?', id);
}

/** Ends the approvals whose time is over, with an entry for each. */
export function expireApprovals(sql: SqlStorage, now: Milliseconds, append: Append): void {
  const expired = 'DELETE FROM begun_action WHERE approval IS NOT NULL AND until_ms <= ? RETURNING *';
  for (const { key, entry } of sql.exec<Row>(expired, now).toArray())
    append({
      ...(JSON.parse(entry) as BegunEntry),
      key: `${key}/expired`,
      at: new Date(now).toISOString(),
      outcome: { type: 'expired' },
    });
}

function begunEntry(sql: SqlStorage, key: string): BegunEntry {
  return JSON.parse(sql.exec<Row>('SELECT * FROM begun_action WHERE key = ?', key).one().entry) as BegunEntry;
}

function findApproval(sql: SqlStorage, id: string, now: Milliseconds): Approval | undefined {
  return sql.exec<Row>(`SELECT * ${VALID} AND key = ?`, now, id).toArray().map(approvalOf)[0];
}

function save(sql: SqlStorage, { id, input, count, confirmedBy }: Approval): void {
  const asked: Asked = { input, count, confirmedBy };
  sql.exec('UPDATE begun_action SET approval = ? WHERE key = ?', JSON.stringify(asked), id);
}

function approvalOf({ key, entry, until_ms: expires, approval }: Row): Approval {
  const { at, action, actor, reason } = JSON.parse(entry) as BegunEntry;
  return { id: key, at, action, actor, reason, expires, ...(JSON.parse(approval) as Asked) };
}
