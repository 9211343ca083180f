-- Additive, so that the previous release keeps working with the database.

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

-- A webhook delivers nothing while all partners of its gatekeeper network are suspended.
CREATE INDEX partners_by_gatekeeper_network ON partners (gatekeeper_network, status);
