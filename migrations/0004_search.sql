-- Partners find passes by the beginning of a wallet, and by the end of their validity. Every shard has all tables.

-- People write the letters of an address in any case. Two Solana addresses may differ in case alone, so the index has the wallet itself too.
DROP INDEX passes_by_wallet;
CREATE UNIQUE INDEX passes_by_wallet ON passes (gatekeeper_network, wallet COLLATE NOCASE, wallet, chain, network);

-- The last second (Unix) of a pass that is wanted and on chain ACTIVE; 9007199254740991: it never ends; NULL: it is not in force.
ALTER TABLE passes ADD COLUMN in_force_until INTEGER;

UPDATE passes SET in_force_until = coalesce(valid_until, 9007199254740991)
WHERE state = 'ACTIVE' AND on_chain_state = 'ACTIVE';

-- Passes that are not in force have no row in this index.
CREATE INDEX passes_by_end ON passes (gatekeeper_network, in_force_until, id) WHERE in_force_until IS NOT NULL;

-- A publication that named the column would write the index each time, even if the end stays the same.
CREATE TRIGGER passes_begin_with_their_end AFTER INSERT ON passes
WHEN NEW.in_force_until IS NOT iif(NEW.state = 'ACTIVE' AND NEW.on_chain_state = 'ACTIVE', coalesce(NEW.valid_until, 9007199254740991), NULL)
BEGIN
  UPDATE passes
  SET in_force_until = iif(state = 'ACTIVE' AND on_chain_state = 'ACTIVE', coalesce(valid_until, 9007199254740991), NULL)
  WHERE gatekeeper_network = NEW.gatekeeper_network AND id = NEW.id;
END;

CREATE TRIGGER passes_keep_their_end AFTER UPDATE OF state, on_chain_state, valid_until ON passes
WHEN NEW.in_force_until IS NOT iif(NEW.state = 'ACTIVE' AND NEW.on_chain_state = 'ACTIVE', coalesce(NEW.valid_until, 9007199254740991), NULL)
BEGIN
  UPDATE passes
  SET in_force_until = iif(state = 'ACTIVE' AND on_chain_state = 'ACTIVE', coalesce(valid_until, 9007199254740991), NULL)
  WHERE gatekeeper_network = NEW.gatekeeper_network AND id = NEW.id;
END;
