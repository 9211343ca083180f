/**
 * The signer's tables. Append-only from the first release on: a released entry never changes, and a new one is added below it.
 * The previous release must keep running on the tables of the new entry, so an entry only adds columns with defaults, tables or
 * indexes. docs/storage.md describes each column.
 *
 * The table is in the order of the ids, because an index of them would cost another row for each step.
 * An index costs a row for each entry that it gets, and for each entry whose columns a statement names. So `step_open` holds a
 * step from its signature to its end, and no statement in between names its columns.
 */
export const RELEASES: readonly string[] = [
  `CREATE TABLE step (
     id TEXT PRIMARY KEY,
     seq INTEGER NOT NULL,
     gatekeeper_network TEXT NOT NULL,
     wallet TEXT NOT NULL,
     contract TEXT NOT NULL,
     kind TEXT NOT NULL,
     rank INTEGER NOT NULL,
     expiry INTEGER,
     client TEXT,
     known TEXT,
     status TEXT NOT NULL CHECK (status IN ('waiting', 'signed', 'confirmed', 'final')),
     is_open INTEGER NOT NULL DEFAULT 0,
     revision INTEGER NOT NULL,
     answer TEXT NOT NULL,
     unacknowledged INTEGER NOT NULL DEFAULT 0,
     not_before INTEGER NOT NULL,
     wait TEXT,
     detail TEXT,
     tries INTEGER NOT NULL DEFAULT 0,
     may_be_signed INTEGER NOT NULL DEFAULT 0,
     ineffective_attempts INTEGER NOT NULL DEFAULT 0,
     nonces_given_up INTEGER NOT NULL DEFAULT 0,
     cost INTEGER NOT NULL DEFAULT 0,
     cost_day INTEGER,
     first_signed_at INTEGER,
     nonce INTEGER,
     included_in TEXT,
     forget_at INTEGER,
     signed TEXT
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX step_waiting ON step (gatekeeper_network, rank, not_before, seq) WHERE status = 'waiting';
   CREATE UNIQUE INDEX step_open ON step (nonce) WHERE is_open = 1;
   CREATE TABLE wait (
     scope TEXT NOT NULL,
     reason TEXT NOT NULL,
     detail TEXT,
     until INTEGER NOT NULL,
     tries INTEGER NOT NULL,
     PRIMARY KEY (scope, reason)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE gap_filler (
     nonce INTEGER PRIMARY KEY,
     cost INTEGER NOT NULL,
     cost_day INTEGER NOT NULL
   ) STRICT;`,
  'ALTER TABLE gap_filler ADD COLUMN signed TEXT',
];

/**
 * Applies the entries that the tables lack. It leaves tables of a newer release and their stored number unchanged: with a
 * smaller number, the newer release would apply its entries a second time and fail.
 * @param begin Called in the transaction that creates the first tables.
 */
export function migrate(storage: DurableObjectStorage, begin: () => void, releases = RELEASES): void {
  const done = storage.kv.get<number>('schema') ?? 0;
  if (done >= releases.length) return;
  storage.transactionSync(() => {
    for (const release of releases.slice(done)) storage.sql.exec(release);
    if (done === 0) begin();
    storage.kv.put('schema', releases.length);
  });
}
