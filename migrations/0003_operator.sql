-- What the operator sees; nothing here is needed to settle a pass.

-- Passes that were not settled when their alarm looked after them. Written by the pass objects, and removed by them.
CREATE TABLE unsettled (
  gatekeeper_network TEXT NOT NULL,
  wallet TEXT NOT NULL,
  chain TEXT NOT NULL,
  network TEXT NOT NULL,
  id TEXT NOT NULL,
  since INTEGER NOT NULL,        -- when the pass was last settled, or asked for (Unix seconds)
  PRIMARY KEY (gatekeeper_network, wallet, chain, network)
) STRICT, WITHOUT ROWID;

CREATE INDEX unsettled_by_since ON unsettled (since, id);

-- Messages that the queue gave up.
CREATE TABLE dead_letters (
  id TEXT NOT NULL PRIMARY KEY,  -- of the message
  at INTEGER NOT NULL,           -- when it came here (Unix seconds)
  reason TEXT NOT NULL,
  body TEXT                      -- JSON; NULL: too large to be kept
) STRICT, WITHOUT ROWID;

CREATE INDEX dead_letters_by_time ON dead_letters (at, id);

-- One row per run of the reconciliation.
CREATE TABLE reconciliations (
  run INTEGER NOT NULL PRIMARY KEY,
  started INTEGER NOT NULL,      -- Unix seconds
  finished INTEGER,
  night INTEGER NOT NULL,        -- when it was last begun or gone on with
  position TEXT NOT NULL,        -- JSON: how far it has come
  slices INTEGER NOT NULL,       -- of that night
  counts TEXT NOT NULL           -- JSON
) STRICT;
