/**
 * The signer's tables. Append-only: what was released is never changed, a new entry is added below.
 * What each column holds and why is told in docs/storage.md.
 */
const RELEASES: readonly string[] = [
  `CREATE TABLE step (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     gatekeeper_network TEXT NOT NULL,
     wallet TEXT NOT NULL,
     kind TEXT NOT NULL,
     expiry INTEGER,
     status TEXT NOT NULL CHECK (status IN ('waiting', 'unsent', 'sent', 'confirmed', 'final')),
     revision INTEGER NOT NULL,
     standing TEXT NOT NULL,
     not_before INTEGER NOT NULL DEFAULT 0,
     tries INTEGER NOT NULL DEFAULT 0,
     misfires INTEGER NOT NULL DEFAULT 0,
     nonce INTEGER,
     signed TEXT,
     place TEXT,
     unacknowledged INTEGER NOT NULL DEFAULT 0,
     forget_at INTEGER
   ) STRICT;
   CREATE INDEX step_waiting ON step (gatekeeper_network, seq) WHERE status = 'waiting';
   CREATE INDEX step_in_flight ON step (status, seq) WHERE status IN ('unsent', 'sent', 'confirmed');
   CREATE UNIQUE INDEX step_unfinished ON step (gatekeeper_network, wallet)
     WHERE kind = 'issue' AND status IN ('waiting', 'unsent', 'sent');
   CREATE UNIQUE INDEX step_nonce ON step (nonce) WHERE nonce IS NOT NULL;
   CREATE INDEX step_unacknowledged ON step (seq) WHERE unacknowledged = 1;
   CREATE INDEX step_forget ON step (forget_at) WHERE forget_at IS NOT NULL;
   CREATE TABLE lane (
     gatekeeper_network TEXT NOT NULL PRIMARY KEY,
     paused_until INTEGER NOT NULL DEFAULT 0,
     pauses INTEGER NOT NULL DEFAULT 0,
     why TEXT
   ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE step ADD COLUMN known TEXT;`,
  `ALTER TABLE step ADD COLUMN why TEXT;
   ALTER TABLE step ADD COLUMN heard INTEGER NOT NULL DEFAULT 0;`,
  // An index is written anew with every column it names: what changes most often is in none any more.
  `DROP INDEX step_waiting; DROP INDEX step_in_flight; DROP INDEX step_unfinished; DROP INDEX step_nonce;
   DROP INDEX step_unacknowledged; DROP INDEX step_forget;
   ALTER TABLE step RENAME TO former;
   CREATE TABLE step (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     gatekeeper_network TEXT NOT NULL,
     wallet TEXT NOT NULL,
     kind TEXT NOT NULL,
     expiry INTEGER,
     known TEXT,
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
   INSERT INTO step SELECT seq, id, gatekeeper_network, wallet, kind, expiry, known,
     iif(status IN ('unsent', 'sent'), 'signed', status), status NOT IN ('waiting', 'unsent'),
     iif(kind = 'issue' AND status IN ('waiting', 'unsent', 'sent'), 1, NULL),
     revision, standing, not_before, tries, why, misfires, heard, nonce, signed, place, unacknowledged, forget_at FROM former;
   DROP TABLE former;
   CREATE INDEX step_waiting ON step (gatekeeper_network, seq) WHERE status = 'waiting';
   CREATE INDEX step_in_flight ON step (status, seq) WHERE status IN ('signed', 'confirmed');
   CREATE UNIQUE INDEX step_unfinished ON step (gatekeeper_network, wallet) WHERE unfinished = 1;
   CREATE UNIQUE INDEX step_nonce ON step (nonce) WHERE nonce IS NOT NULL;
   CREATE INDEX step_unacknowledged ON step (seq) WHERE unacknowledged = 1;
   CREATE INDEX step_forget ON step (forget_at) WHERE forget_at IS NOT NULL;`,
];

/** Brings the tables up to date. */
export function migrate(storage: DurableObjectStorage): void {
  const done = storage.kv.get<number>('schema') ?? 0;
  if (done === RELEASES.length) return;
  storage.transactionSync(() => {
    for (const release of RELEASES.slice(done)) storage.sql.exec(release);
    storage.kv.put('schema', RELEASES.length);
  });
}
