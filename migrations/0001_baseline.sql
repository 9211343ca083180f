-- Every shard has all tables. A shard other than `DB` stores rows only in `passes`, `coverage`,
-- `removed_gatekeepers`, `events`, `feeds`, `usage` and `unsettled`.

-- A gatekeeper network and the shard with its passes.
CREATE TABLE gatekeeper_networks (
  key TEXT NOT NULL PRIMARY KEY,        -- base58
  shard TEXT NOT NULL DEFAULT 'DB'      -- name of the database's binding
    CHECK (shard = 'DB' OR (shard GLOB 'DB_[1-9]*' AND substr(shard, 4) NOT GLOB '*[^0-9]*')),
  public_verify INTEGER NOT NULL DEFAULT 0 -- 1: anybody may read the validity of its passes
    CHECK (public_verify IN (0, 1)),
  contracts TEXT NOT NULL DEFAULT '{}'  -- JSON object: the contract of its passes by Ethereum-type network, once it is chosen
    CHECK (json_type(contracts) = 'object')
) STRICT, WITHOUT ROWID;

CREATE INDEX gatekeeper_networks_public ON gatekeeper_networks (public_verify) WHERE public_verify = 1;

-- No process moves passes between shards. In another shard, a query would not find them.
CREATE TRIGGER gatekeeper_networks_stay_in_their_shard BEFORE UPDATE OF shard ON gatekeeper_networks
WHEN NEW.shard <> OLD.shard
BEGIN
  SELECT RAISE(ABORT, 'the passes of this gatekeeper network are in another shard');
END;

-- Tokens cannot move to another contract. A gatekeeper network with two contracts could have two tokens for one wallet.
CREATE TRIGGER gatekeeper_networks_keep_their_contracts BEFORE UPDATE OF contracts ON gatekeeper_networks
WHEN EXISTS (
  SELECT 1 FROM json_each(OLD.contracts) AS chosen
  WHERE chosen.value IS NOT (SELECT value FROM json_each(NEW.contracts) AS given WHERE given.key = chosen.key)
)
BEGIN
  SELECT RAISE(ABORT, 'the passes of this gatekeeper network are in another contract');
END;

-- A key that begins with 24 times '1' begins with 24 zero bytes, so its slot in the Ethereum contract is below 2^64. Slots of
-- that size are assigned to other gatekeeper networks, whose passes the partner could then change.
CREATE TRIGGER gatekeeper_networks_derive_large_slots BEFORE INSERT ON gatekeeper_networks
WHEN NEW.key GLOB '111111111111111111111111*'
BEGIN
  SELECT RAISE(ABORT, 'the slot of this gatekeeper network could be the number of another one');
END;

CREATE TRIGGER gatekeeper_networks_keep_large_slots BEFORE UPDATE OF key ON gatekeeper_networks
WHEN NEW.key GLOB '111111111111111111111111*'
BEGIN
  SELECT RAISE(ABORT, 'the slot of this gatekeeper network could be the number of another one');
END;

-- One row per OAuth client. Several clients may share a gatekeeper network.
CREATE TABLE partners (
  client_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  gatekeeper_network TEXT NOT NULL REFERENCES gatekeeper_networks (key),
  networks TEXT,                        -- JSON array of network names; NULL: all
  pass_lifetime_seconds INTEGER,        -- lifetime of new passes; NULL: they do not expire
  daily_issuances INTEGER CHECK (daily_issuances >= 0), -- passes per day (UTC); NULL: unlimited
  daily_changes INTEGER CHECK (daily_changes >= 0), -- changes per day (UTC); NULL: unlimited
  organization TEXT CHECK (organization <> ''), -- whose members may sign in to the console; NULL: nobody
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  created_at INTEGER NOT NULL DEFAULT (unixepoch())
) STRICT, WITHOUT ROWID;

-- Signers read the suspended clients every half minute.
CREATE INDEX partners_by_status ON partners (status);
-- A webhook delivers nothing while all partners of its gatekeeper network are suspended.
CREATE INDEX partners_by_gatekeeper_network ON partners (gatekeeper_network, status);
CREATE UNIQUE INDEX partners_by_organization ON partners (organization);

-- The read model: GET and search read it. The pass objects are the source of truth. A row is the newest version that its
-- object published, and `version` prevents an older one from overwriting it. The table is in the order of a search page.
CREATE TABLE passes (
  gatekeeper_network TEXT NOT NULL,
  id TEXT NOT NULL,                     -- UUIDv7: newest first is `id DESC`
  wallet TEXT NOT NULL,                 -- canonical form
  chain TEXT NOT NULL,
  network TEXT NOT NULL,
  state TEXT NOT NULL,
  on_chain_state TEXT NOT NULL,
  valid_until INTEGER,                  -- Unix seconds: the earlier one of the expiry on chain and the wanted one; NULL: never
  pending INTEGER NOT NULL DEFAULT 0,   -- 1: others have taken access away, and no final block shows it yet
  issued_by TEXT,                       -- address of the gatekeeper whose step issued the token; NULL: unknown
  version INTEGER NOT NULL,
  events_in_feed INTEGER NOT NULL DEFAULT 0, -- number of the pass's events that `events` has had
  record TEXT NOT NULL,                 -- the pass record as JSON, exactly as GET returns it
  PRIMARY KEY (gatekeeper_network, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX passes_by_wallet ON passes (gatekeeper_network, wallet, chain, network);
-- Unique, so that a publication can name it as the target of a conflict.
CREATE UNIQUE INDEX passes_by_state ON passes (gatekeeper_network, state, id);
-- A search by network. `network` alone suffices, because no two chains have a network of the same name.
CREATE INDEX passes_by_network ON passes (gatekeeper_network, network, state, id);

-- How far the watcher of each network has followed its chain, and published what it found in this shard.
CREATE TABLE coverage (
  network TEXT NOT NULL PRIMARY KEY,
  covered_until INTEGER NOT NULL        -- time of the block (Unix seconds)
) STRICT, WITHOUT ROWID;

-- Gatekeepers whose removal has voided the tokens that they had issued, in the shard of the gatekeeper network.
CREATE TABLE removed_gatekeepers (
  gatekeeper_network TEXT NOT NULL,
  network TEXT NOT NULL,
  gatekeeper TEXT NOT NULL,             -- address
  since INTEGER NOT NULL,               -- when the watcher saw it (Unix seconds)
  PRIMARY KEY (gatekeeper_network, network, gatekeeper)
) STRICT, WITHOUT ROWID;

-- The event feed of each gatekeeper network, in the shard with its passes. Events are immutable and deleted after some weeks.
CREATE TABLE events (
  gatekeeper_network TEXT NOT NULL,
  sequence INTEGER NOT NULL,            -- 1, 2, 3 … per gatekeeper network
  at INTEGER NOT NULL,                  -- when the feed got it (Unix seconds)
  type TEXT NOT NULL,
  body TEXT NOT NULL,                   -- JSON: the event without its sequence and type
  PRIMARY KEY (gatekeeper_network, sequence)
) STRICT, WITHOUT ROWID;

-- The newest sequence of each feed. It never falls, even if all events are deleted. The row with an empty name, which only a
-- restored database has, is the sequence before the first event of any feed without a row.
CREATE TABLE feeds (
  gatekeeper_network TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL DEFAULT 0,
  webhooks TEXT NOT NULL DEFAULT '[]'   -- JSON array: ids of the webhooks to wake
) STRICT, WITHOUT ROWID;

-- Confirmed changes by month (UTC), in the shard with the passes.
CREATE TABLE usage (
  gatekeeper_network TEXT NOT NULL,
  network TEXT NOT NULL,
  month TEXT NOT NULL,                  -- for example 2026-11
  issued INTEGER NOT NULL DEFAULT 0,
  renewed INTEGER NOT NULL DEFAULT 0,
  revoked INTEGER NOT NULL DEFAULT 0,
  active INTEGER NOT NULL DEFAULT 0,    -- growth in that month: the sum over all months is the number of active passes
  PRIMARY KEY (gatekeeper_network, network, month)
) STRICT, WITHOUT ROWID;

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
