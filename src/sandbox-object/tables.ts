import type { UnixSeconds } from '../lib/units.ts';
import type { Script } from './agenda.ts';
import type { StoredToken } from './tokens.ts';

/** The tables of a sandbox. A transaction is open until it is so old that no answer depends on its block. */

/** The expiry of the newest version of a token. */
const EXPIRY = "json_extract(versions, '$[#-1].expiry')";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS token (
    network TEXT NOT NULL, wallet TEXT NOT NULL, id TEXT NOT NULL, versions TEXT NOT NULL,
    PRIMARY KEY (network, wallet, id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS token_by_expiry ON token (${EXPIRY}) WHERE ${EXPIRY} IS NOT NULL;
  CREATE TABLE IF NOT EXISTS sent (
    identifier TEXT PRIMARY KEY, network TEXT NOT NULL, wallet TEXT, call TEXT NOT NULL, nonce INTEGER, last_block INTEGER,
    is_open INTEGER NOT NULL, due INTEGER NOT NULL, included INTEGER, effective INTEGER, succeeded INTEGER,
    branch INTEGER NOT NULL, is_held INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS sent_open ON sent (network) WHERE is_open = 1;
  CREATE TABLE IF NOT EXISTS nonce (network TEXT PRIMARY KEY, used INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS script (
    network TEXT NOT NULL, wallet TEXT NOT NULL, script TEXT NOT NULL, PRIMARY KEY (network, wallet)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS event (
    seq INTEGER PRIMARY KEY, network TEXT NOT NULL, wallet TEXT NOT NULL, block INTEGER NOT NULL,
    is_on_chain INTEGER NOT NULL, body TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS event_due ON event (is_on_chain, network, block);
`;

export function createTables(sql: SqlStorage): void {
  sql.exec(SCHEMA);
}

/** A transaction of the signer, or of somebody else with its key (without a wallet). */
export interface SentRow {
  readonly identifier: string;
  readonly wallet: string | null;
  /** JSON of an operation; empty: it has no effect. */
  readonly call: string;
  readonly nonce: number | null;
  readonly lastBlock: number | null;
  /** The next block in which something can happen to it. */
  readonly due: number;
  /** The block that uses its nonce; null: it waits. */
  readonly included: number | null;
  /** The block that shows it; null: none yet. */
  readonly effective: number | null;
  readonly succeeded: number | null;
  /** How often it has left the chain. */
  readonly branch: number;
  /** Whether its block does not become final before it leaves the chain. */
  readonly isHeld: number;
}

const COLUMNS = `identifier, wallet, call, nonce, last_block AS lastBlock, due, included, effective, succeeded, branch,
  is_held AS isHeld`;

type Row<T> = T & Record<string, SqlStorageValue>;

export function openRows(sql: SqlStorage, network: string): SentRow[] {
  return sql.exec<Row<SentRow>>(`SELECT ${COLUMNS} FROM sent WHERE network = ? AND is_open = 1`, network).toArray();
}

export function findSent(sql: SqlStorage, identifier: string): SentRow | undefined {
  return sql.exec<Row<SentRow>>(`SELECT ${COLUMNS} FROM sent WHERE identifier = ?`, identifier).toArray()[0];
}

export function storeSent(sql: SqlStorage, network: string, row: SentRow, isOpen: boolean): void {
  const { identifier, wallet, call, nonce, lastBlock, due, included, effective, succeeded, branch, isHeld } = row;
  sql.exec(
    'INSERT OR REPLACE INTO sent VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ...[identifier, network, wallet, call, nonce, lastBlock, Number(isOpen)],
    ...[due, included, effective, succeeded, branch, isHeld],
  );
}

export function deleteSent(sql: SqlStorage, identifier: string): void {
  sql.exec('DELETE FROM sent WHERE identifier = ?', identifier);
}

/** Returns the number of nonces that transactions before the open ones have used. */
export function closedNonces(sql: SqlStorage, network: string): number {
  return sql.exec<{ used: number }>('SELECT used FROM nonce WHERE network = ?', network).toArray()[0]?.used ?? 0;
}

export function storeClosedNonces(sql: SqlStorage, network: string, used: number): void {
  sql.exec('INSERT OR REPLACE INTO nonce VALUES (?, ?)', network, used);
}

export function readTokens(sql: SqlStorage, network: string, wallet: string): StoredToken[] {
  return sql
    .exec<{ id: string; versions: string }>(
      'SELECT id, versions FROM token WHERE network = ? AND wallet = ?',
      network,
      wallet,
    )
    .toArray()
    .map(({ id, versions }) => ({ id, versions: JSON.parse(versions) }));
}

/** Stores a token; one without versions is deleted. */
export function storeToken(sql: SqlStorage, network: string, wallet: string, { id, versions }: StoredToken): void {
  if (versions.length === 0)
    sql.exec('DELETE FROM token WHERE network = ? AND wallet = ? AND id = ?', network, wallet, id);
  else sql.exec('INSERT OR REPLACE INTO token VALUES (?, ?, ?, ?)', network, wallet, id, JSON.stringify(versions));
}

/** A place in the list of tokens by their expiry. */
export interface ExpiryPlace {
  readonly expiry: UnixSeconds;
  readonly network: string;
  readonly wallet: string;
}

/** Returns the first tokens after a place that expire no later than a time, in the order of their places. */
export function tokensByExpiry(sql: SqlStorage, after: ExpiryPlace, until: UnixSeconds, limit: number): ExpiryPlace[] {
  const query = `SELECT ${EXPIRY} AS expiry, network, wallet FROM token
    WHERE ${EXPIRY} BETWEEN ?1 AND ?4 AND (${EXPIRY}, network, wallet) > (?1, ?2, ?3)
    ORDER BY ${EXPIRY}, network, wallet LIMIT ?5`;
  const { expiry, network, wallet } = after;
  return sql.exec<Row<ExpiryPlace>>(query, expiry, network, wallet, until, limit).toArray();
}

/** Deletes everything about a wallet, apart from open transactions. */
export function forgetWallet(sql: SqlStorage, network: string, wallet: string): void {
  sql.exec('DELETE FROM token WHERE network = ? AND wallet = ?', network, wallet);
  sql.exec('DELETE FROM script WHERE network = ? AND wallet = ?', network, wallet);
  sql.exec('DELETE FROM sent WHERE network = ? AND wallet = ? AND is_open = 0', network, wallet);
}

export function readScript(sql: SqlStorage, network: string, wallet: string): Script | undefined {
  const query = 'SELECT script FROM script WHERE network = ? AND wallet = ?';
  const row = sql.exec<{ script: string }>(query, network, wallet).toArray()[0];
  return row && (JSON.parse(row.script) as Script);
}

export function storeScript(sql: SqlStorage, network: string, wallet: string, script: Script): void {
  sql.exec('INSERT OR REPLACE INTO script VALUES (?, ?, ?)', network, wallet, JSON.stringify(script));
}
