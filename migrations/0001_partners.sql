-- Who may call: one row per OAuth client. Several clients may share a gatekeeper network.
CREATE TABLE partners (
  client_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  gatekeeper_network TEXT NOT NULL,
  networks TEXT,                 -- JSON array of network names; NULL: all
  pass_lifetime_seconds INTEGER, -- lifetime of newly issued passes; NULL: they do not expire
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  created_at INTEGER NOT NULL DEFAULT (unixepoch())
) STRICT, WITHOUT ROWID;
