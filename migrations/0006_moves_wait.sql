-- During a move, the passes of a gatekeeper network wait to be published. The rows that forwarded their writes go: 1.0.0 runs nowhere, so no
-- move is stored.

DROP TRIGGER passes_of_departures_insert;
DROP TRIGGER passes_of_departures_update;
DROP TRIGGER events_of_departures_insert;
DROP TRIGGER unsettled_of_departures_insert;
DROP TRIGGER removed_gatekeepers_of_departures_insert;
DROP VIEW refused_writes;
DROP TABLE changed_passes;
DROP TABLE arrivals;
DROP TABLE departures;

DROP TRIGGER gatekeeper_networks_change_their_shard_by_a_move;
ALTER TABLE gatekeeper_networks DROP COLUMN moving_to;
-- How often the shard has changed.
ALTER TABLE gatekeeper_networks ADD COLUMN moves INTEGER NOT NULL DEFAULT 0;

-- Only a move copies the passes. In another shard, a query would not find them.
CREATE TRIGGER gatekeeper_networks_change_their_shard_by_a_move BEFORE UPDATE OF shard ON gatekeeper_networks
WHEN NEW.shard <> OLD.shard AND NEW.moves = OLD.moves
BEGIN
  SELECT RAISE(ABORT, 'the passes of this gatekeeper network are in another shard');
END;

-- The newest move of each gatekeeper network that has left this shard or reached it. A write about a gatekeeper network updates its row,
-- which fails while its passes wait or are in the other shard.
CREATE TABLE moves (
  gatekeeper_network TEXT NOT NULL PRIMARY KEY,
  shard TEXT NOT NULL,                  -- the other one
  step INTEGER NOT NULL,                -- rises with each slice, so that a late one changes nothing
  stage INTEGER NOT NULL CHECK (stage IN (0, 1, 2)), -- 0: its rows are here; 1: they are here, and wait; 2: they are in the other shard
  phase TEXT NOT NULL,                  -- what the next slice does. `leaves`: the row in the other shard says it
  place TEXT NOT NULL DEFAULT '[0]',    -- JSON: number of the table, and key of the last row
  passes INTEGER NOT NULL DEFAULT 0,    -- number of copied rows
  events INTEGER NOT NULL DEFAULT 0,
  started INTEGER NOT NULL DEFAULT (unixepoch()),
  updated INTEGER NOT NULL DEFAULT (unixepoch()),
  refused INTEGER NOT NULL DEFAULT 0 CONSTRAINT gatekeeper_network_moves CHECK (refused = 0)
) STRICT, WITHOUT ROWID;

-- Refuses a whole batch of publications, however late it arrives. An upsert runs this trigger too. The other writes bring their own update.
CREATE TRIGGER passes_wait_for_a_move BEFORE INSERT ON passes
BEGIN
  UPDATE moves SET refused = 1 WHERE gatekeeper_network = NEW.gatekeeper_network AND stage > 0;
END;

-- The first shard refuses the passes of a gatekeeper network that begins in another one: an isolate may not have the binding of that one yet.
CREATE TRIGGER gatekeeper_networks_begin_in_their_shard AFTER INSERT ON gatekeeper_networks WHEN NEW.shard <> 'DB'
BEGIN
  INSERT INTO moves (gatekeeper_network, shard, step, stage, phase, updated) VALUES (NEW.key, NEW.shard, 0, 2, 'leaves', 0)
  ON CONFLICT DO NOTHING;
END;
