-- A fetch takes one descent: the wallet is the primary key.
CREATE TABLE passes (
  gatekeeper_network TEXT NOT NULL,
  wallet TEXT NOT NULL,
  chain TEXT NOT NULL,
  network TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT NOT NULL,
  version INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (gatekeeper_network, wallet, chain, network)
) STRICT, WITHOUT ROWID;

CREATE INDEX passes_by_id ON passes (gatekeeper_network, id);
CREATE INDEX passes_by_state ON passes (gatekeeper_network, state, id);
