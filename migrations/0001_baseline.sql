-- Every shard has all tables. A shard other than `DB` stores rows only in `passes` and `unsettled`.

-- A gatekeeper network and the shard with its passes.
CREATE TABLE gatekeeper_networks (
  key TEXT NOT NULL PRIMARY KEY,        -- base58
  shard TEXT NOT NULL DEFAULT 'DB'      -- name of the database's binding
    CHECK (shard = 'DB' OR (shard GLOB 'DB_[1-9]*' AND substr(shard, 4) NOT GLOB '*[^0-9]*')),
  switches TEXT NOT NULL DEFAULT '{}' CHECK (json_type(switches) = 'object') -- JSON: how the service treats this network
) STRICT, WITHOUT ROWID;

-- No process moves passes between shards. In another shard, a query would not find them.
CREATE TRIGGER gatekeeper_networks_stay_in_their_shard BEFORE UPDATE OF shard ON gatekeeper_networks
WHEN NEW.shard <> OLD.shard
BEGIN
  SELECT RAISE(ABORT, 'the passes of this gatekeeper network are in another shard');
END;

-- One row per OAuth client. Several clients may share a gatekeeper network.
CREATE TABLE partners (
  client_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  gatekeeper_network TEXT NOT NULL REFERENCES gatekeeper_networks (key),
  networks TEXT,                        -- JSON array of network names; NULL: all
  pass_lifetime_seconds INTEGER,        -- lifetime of new passes; NULL: they do not expire
  daily_issuances INTEGER CHECK (daily_issuances >= 0), -- passes per day (UTC); NULL: unlimited
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  created_at INTEGER NOT NULL DEFAULT (unixepoch())
) STRICT, WITHOUT ROWID;

-- The read model: GET and search read it. The pass objects are the source of truth. A row is the newest version that its
-- object published, and `version` prevents an older one from overwriting it. The table is in the order of a search page.
CREATE TABLE passes (
  gatekeeper_network TEXT NOT NULL,
  id TEXT NOT NULL,                     -- UUIDv7: newest first is `id DESC`
  wallet TEXT NOT NULL,                 -- canonical form
  chain TEXT NOT NULL,
  network TEXT NOT NULL,
  state TEXT NOT NULL,
  version INTEGER NOT NULL,
  handed_over INTEGER NOT NULL DEFAULT 0, -- reserved for an event feed: number of the pass's events in it
  record TEXT NOT NULL,                 -- the pass record as JSON, exactly as GET returns it
  PRIMARY KEY (gatekeeper_network, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX passes_by_wallet ON passes (gatekeeper_network, wallet, chain, network);
-- Unique, so that a publication can name it as the target of a conflict.
CREATE UNIQUE INDEX passes_by_state ON passes (gatekeeper_network, state, id);

-- The tables below are for the operator. Passes settle without them.

-- Passes that were not settled when their alarm fired. The pass objects add and remove these rows.
CREATE TABLE unsettled (
  gatekeeper_network TEXT NOT NULL,
  wallet TEXT NOT NULL,
  chain TEXT NOT NULL,
  network TEXT NOT NULL,
  id TEXT NOT NULL,
  since INTEGER NOT NULL,               -- when the pass was last settled, or requested (Unix seconds)
  PRIMARY KEY (gatekeeper_network, wallet, chain, network)
) STRICT, WITHOUT ROWID;

CREATE INDEX unsettled_by_since ON unsettled (since, id);

-- Messages that the service will not process again by itself.
CREATE TABLE dead_letters (
  id TEXT NOT NULL PRIMARY KEY,         -- id of the message
  at INTEGER NOT NULL,                  -- when it arrived here (Unix seconds)
  reason TEXT NOT NULL,
  body TEXT                             -- JSON; NULL: too large to store
) STRICT, WITHOUT ROWID;

CREATE INDEX dead_letters_by_time ON dead_letters (at, id);

-- One row per run of the reconciliation.
CREATE TABLE reconciliations (
  run INTEGER NOT NULL PRIMARY KEY,
  started INTEGER NOT NULL,             -- Unix seconds
  finished INTEGER,
  night INTEGER NOT NULL,               -- when the run last began or continued (Unix seconds)
  position TEXT NOT NULL,               -- JSON
  slices INTEGER NOT NULL,              -- number of slices of that night
  counts TEXT NOT NULL                  -- JSON
) STRICT;

-- Per gatekeeper network and network: the number of passes that a reconciliation run compared with the chain, and the number
-- that seem to have lost their valid token. If that number is too high, the run makes no more changes there.
CREATE TABLE absences (
  run INTEGER NOT NULL,
  gatekeeper_network TEXT NOT NULL,
  network TEXT NOT NULL,
  compared INTEGER NOT NULL,
  absent INTEGER NOT NULL,
  held INTEGER NOT NULL,                -- 1: the losses are too many, and the operator has not accepted them
  accepted INTEGER NOT NULL DEFAULT 0,  -- losses that the operator accepted, for this run and the next
  PRIMARY KEY (run, gatekeeper_network, network)
) STRICT, WITHOUT ROWID;

-- The newest rebuild of each shard.
CREATE TABLE rebuilds (
  shard TEXT NOT NULL PRIMARY KEY,
  started INTEGER NOT NULL,             -- Unix seconds
  finished INTEGER,
  updated INTEGER NOT NULL,             -- when it last made progress (Unix seconds)
  position TEXT,                        -- where the list of objects continues; NULL: at its beginning, or finished
  objects INTEGER NOT NULL DEFAULT 0,   -- pass objects that answered
  passes INTEGER NOT NULL DEFAULT 0,    -- objects with a pass of the shard
  elsewhere INTEGER NOT NULL DEFAULT 0, -- objects with a pass of another shard
  empty INTEGER NOT NULL DEFAULT 0      -- objects without a pass
) STRICT, WITHOUT ROWID;
