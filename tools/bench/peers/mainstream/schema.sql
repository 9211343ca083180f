CREATE TABLE partners (
  client_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  gatekeeper_network TEXT NOT NULL,
  status TEXT NOT NULL
);

CREATE TABLE passes (
  id TEXT PRIMARY KEY,
  gatekeeper_network TEXT NOT NULL,
  chain TEXT NOT NULL,
  network TEXT NOT NULL,
  wallet_address TEXT NOT NULL,
  state TEXT NOT NULL,
  on_chain_state TEXT NOT NULL,
  expiry_timestamp INTEGER
);
CREATE UNIQUE INDEX passes_by_wallet ON passes (gatekeeper_network, wallet_address, chain, network);
CREATE INDEX passes_by_id ON passes (gatekeeper_network, id);
CREATE INDEX passes_by_state ON passes (gatekeeper_network, state, id);

CREATE TABLE transactions (
  identifier TEXT PRIMARY KEY,
  status TEXT NOT NULL
);

CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pass_id TEXT NOT NULL REFERENCES passes (id),
  event_type TEXT NOT NULL,
  timestamp INTEGER NOT NULL,
  transaction_identifier TEXT REFERENCES transactions (identifier)
);
CREATE INDEX events_by_pass ON events (pass_id);
