import { expectEarlierStore } from './earlier-store.ts';

/**
 * The signer's tables. Append-only: a released entry never changes, and a new one is added below it. The previous release
 * must keep running on the tables of the new entry, so an entry only adds columns with defaults, tables or indexes.
 * docs/storage.md describes each column.
 *
 * Confirming a step changes its status, which rewrites its row in the index `step_in_flight` anyway. So the block in that
 * index costs no further row.
 */
export const RELEASES: readonly string[] = [
  `CREATE TABLE step (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL,
     gatekeeper_network TEXT NOT NULL,
     wallet TEXT NOT NULL,
     kind TEXT NOT NULL,
     expiry INTEGER,
     known TEXT,
     rank INTEGER NOT NULL DEFAULT 1,
     status TEXT NOT NULL CHECK (status IN ('waiting', 'signed', 'confirmed', 'final')),
     taken INTEGER NOT NULL DEFAULT 0,
     unfinished INTEGER,
     revision INTEGER NOT NULL,
     standing TEXT NOT NULL,
     not_before INTEGER NOT NULL DEFAULT 0,
     tries INTEGER NOT NULL DEFAULT 0,
     why TEXT,
     misfires INTEGER NOT NULL DEFAULT 0,
     heard INTEGER NOT NULL DEFAULT 0,
     nonce INTEGER,
     signed TEXT,
     place TEXT,
     unacknowledged INTEGER NOT NULL DEFAULT 0,
     forget_at INTEGER
   ) STRICT;
   CREATE UNIQUE INDEX step_by_id ON step (id);
   CREATE INDEX step_waiting ON step (gatekeeper_network, rank, not_before) WHERE status = 'waiting';
   CREATE INDEX step_in_flight ON step (status, place ->> '$.block') WHERE status IN ('signed', 'confirmed');
   CREATE UNIQUE INDEX step_unfinished ON step (gatekeeper_network, wallet) WHERE unfinished = 1;
   CREATE UNIQUE INDEX step_nonce ON step (nonce) WHERE nonce IS NOT NULL;
   CREATE INDEX step_unacknowledged ON step (seq) WHERE unacknowledged = 1;
   CREATE INDEX step_forget ON step (forget_at) WHERE forget_at IS NOT NULL;
   CREATE TABLE lane (
     gatekeeper_network TEXT NOT NULL PRIMARY KEY,
     paused_until INTEGER NOT NULL DEFAULT 0,
     pauses INTEGER NOT NULL DEFAULT 0,
     why TEXT
   ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE step ADD COLUMN client TEXT;
   ALTER TABLE step ADD COLUMN parked TEXT;
   ALTER TABLE step ADD COLUMN nonces_given_up INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE step ADD COLUMN cost INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE step ADD COLUMN cost_day INTEGER;
   CREATE INDEX step_requeued ON step (nonce) WHERE status = 'waiting' AND nonce IS NOT NULL;
   CREATE TABLE gap_filler (
     nonce INTEGER PRIMARY KEY,
     cost INTEGER NOT NULL,
     cost_day INTEGER NOT NULL
   ) STRICT;`,
  'ALTER TABLE step ADD COLUMN first_signed_at INTEGER',
];

/**
 * Applies the entries that the tables lack. It leaves tables of a newer release and their stored number unchanged: with a
 * smaller number, the newer release would apply its entries a second time and fail.
 */
export function migrate(storage: DurableObjectStorage, releases = RELEASES): void {
  const done = storage.kv.get<number>('schema') ?? 0;
  if (done >= releases.length) return;
  storage.transactionSync(() => {
    for (const release of releases.slice(done)) storage.sql.exec(release);
    if (done === 0) expectEarlierStore(storage.kv, Date.now());
    storage.kv.put('schema', releases.length);
  });
}
