-- A gatekeeper network can move to another shard while the service runs. Every shard has all tables.

-- The shard to which the gatekeeper network moves; NULL: it does not move.
ALTER TABLE gatekeeper_networks ADD COLUMN moving_to TEXT;

-- Only a move copies the passes. In another shard, a query would not find them.
DROP TRIGGER gatekeeper_networks_stay_in_their_shard;
CREATE TRIGGER gatekeeper_networks_change_their_shard_by_a_move BEFORE UPDATE OF shard ON gatekeeper_networks
WHEN NEW.shard <> OLD.shard AND NEW.shard IS NOT OLD.moving_to
BEGIN
  SELECT RAISE(ABORT, 'the passes of this gatekeeper network are in another shard');
END;

-- The gatekeeper networks that leave this shard, or have left it. Passes and webhooks remember the shard in which they were created, so
-- the rows of those that have left stay here forever and name the next shard.
CREATE TABLE departures (
  gatekeeper_network TEXT NOT NULL PRIMARY KEY,
  to_shard TEXT NOT NULL,
  frozen_until INTEGER NOT NULL DEFAULT 0, -- writes wait until then (Unix seconds)
  has_left INTEGER NOT NULL DEFAULT 0 CHECK (has_left IN (0, 1))
) STRICT, WITHOUT ROWID;

-- The gatekeeper networks that move to this shard, or have moved to it.
CREATE TABLE arrivals (
  gatekeeper_network TEXT NOT NULL PRIMARY KEY,
  from_shard TEXT NOT NULL,
  has_arrived INTEGER NOT NULL DEFAULT 0 CHECK (has_arrived IN (0, 1)), -- 1: this shard has all rows
  step INTEGER NOT NULL DEFAULT 1,      -- number of the next slice, so that no slice is stored twice
  phase TEXT NOT NULL DEFAULT 'passes', -- what the next slice copies or deletes
  last_pass TEXT NOT NULL DEFAULT '',   -- id of the last copied pass
  last_event INTEGER NOT NULL DEFAULT 0, -- sequence of the last copied event
  last_change INTEGER NOT NULL DEFAULT 0, -- number of the last copied change
  passes INTEGER NOT NULL DEFAULT 0,    -- number of copied rows, changes included
  events INTEGER NOT NULL DEFAULT 0,
  started INTEGER NOT NULL DEFAULT (unixepoch()),
  updated INTEGER NOT NULL DEFAULT (unixepoch())
) STRICT, WITHOUT ROWID;

-- The passes that changed in this shard after the copying began.
CREATE TABLE changed_passes (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  gatekeeper_network TEXT NOT NULL,
  id TEXT NOT NULL
) STRICT;

-- The gatekeeper networks whose writes fail in this shard. A fault can only have a text of its own if a function raises it: the text is
-- no path of JSON. The store reads code and shard from it (`src/store/moved-networks.ts`). A batch that writes usage or feeds writes passes
-- too, so it fails as a whole. A write without a trigger of its own asks this view in its batch.
CREATE VIEW refused_writes AS
  SELECT gatekeeper_network, gatekeeper_network || iif(has_left, '/moved/', '/moving/') || to_shard AS fault
  FROM departures WHERE has_left OR frozen_until > unixepoch();

CREATE TRIGGER passes_of_departures_insert BEFORE INSERT ON passes
WHEN EXISTS (SELECT 1 FROM departures WHERE gatekeeper_network = NEW.gatekeeper_network)
BEGIN
  SELECT json_extract('{}', fault) FROM refused_writes WHERE gatekeeper_network = NEW.gatekeeper_network;
  INSERT INTO changed_passes (gatekeeper_network, id) VALUES (NEW.gatekeeper_network, NEW.id);
END;

-- An upsert has run the trigger of its insert before this one.
CREATE TRIGGER passes_of_departures_update BEFORE UPDATE ON passes
WHEN EXISTS (SELECT 1 FROM departures WHERE gatekeeper_network = OLD.gatekeeper_network)
BEGIN
  INSERT INTO changed_passes (gatekeeper_network, id) VALUES (OLD.gatekeeper_network, OLD.id), (OLD.gatekeeper_network, NEW.id);
END;

CREATE TRIGGER events_of_departures_insert BEFORE INSERT ON events
BEGIN
  SELECT json_extract('{}', fault) FROM refused_writes WHERE gatekeeper_network = NEW.gatekeeper_network;
END;

CREATE TRIGGER unsettled_of_departures_insert BEFORE INSERT ON unsettled
BEGIN
  SELECT json_extract('{}', fault) FROM refused_writes WHERE gatekeeper_network = NEW.gatekeeper_network;
END;

CREATE TRIGGER removed_gatekeepers_of_departures_insert BEFORE INSERT ON removed_gatekeepers
BEGIN
  SELECT json_extract('{}', fault) FROM refused_writes WHERE gatekeeper_network = NEW.gatekeeper_network;
END;
