-- The read model: what GET and search answer. The pass objects are the truth; a row here is their newest projection,
-- and `version` keeps an older one from overwriting it.
CREATE TABLE passes (
  gatekeeper_network TEXT NOT NULL,
  wallet TEXT NOT NULL,          -- canonical form
  chain TEXT NOT NULL,
  network TEXT NOT NULL,
  id TEXT NOT NULL,              -- UUIDv7: newest first is `id DESC`
  state TEXT NOT NULL,
  version INTEGER NOT NULL,
  record TEXT NOT NULL,          -- the pass record as JSON, exactly as it is answered
  PRIMARY KEY (gatekeeper_network, wallet, chain, network)
) STRICT, WITHOUT ROWID;

CREATE INDEX passes_by_id ON passes (gatekeeper_network, id);
CREATE INDEX passes_by_state ON passes (gatekeeper_network, state, id);
CREATE INDEX passes_by_wallet ON passes (gatekeeper_network, wallet, id);
CREATE INDEX passes_by_wallet_and_state ON passes (gatekeeper_network, wallet, state, id);
