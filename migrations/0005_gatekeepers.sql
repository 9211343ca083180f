-- A fact about a gatekeeper belongs to one contract: a stranger may create a gatekeeper network with the same slot in another one.
-- Every shard has all tables.

-- Empty: an earlier release wrote the row, and no pass shows the contract. The watcher checks the row again, and names it.
ALTER TABLE removed_gatekeepers ADD COLUMN contract TEXT NOT NULL DEFAULT '';

-- All passes of a gatekeeper network on a network are in one contract.
UPDATE removed_gatekeepers SET contract = coalesce((
  SELECT record ->> '$.contract' FROM passes INDEXED BY passes_by_network
  WHERE passes.gatekeeper_network = removed_gatekeepers.gatekeeper_network AND passes.network = removed_gatekeepers.network LIMIT 1), '');

CREATE TRIGGER removed_gatekeepers_name_their_contract AFTER INSERT ON removed_gatekeepers WHEN NEW.contract = ''
BEGIN
  UPDATE removed_gatekeepers SET contract = coalesce((
    SELECT record ->> '$.contract' FROM passes INDEXED BY passes_by_network
    WHERE passes.gatekeeper_network = NEW.gatekeeper_network AND passes.network = NEW.network LIMIT 1), '')
  WHERE gatekeeper_network = NEW.gatekeeper_network AND network = NEW.network AND gatekeeper = NEW.gatekeeper;
END;

-- The gatekeepers whose steps have issued tokens, also those whose key has left the configuration. The watcher of the network checks
-- from time to time whether the contract counts their tokens as void, because no event says so.
CREATE TABLE issuers (
  gatekeeper_network TEXT NOT NULL,
  network TEXT NOT NULL,
  gatekeeper TEXT NOT NULL,             -- address
  contract TEXT NOT NULL,
  PRIMARY KEY (gatekeeper_network, network, gatekeeper)
) STRICT, WITHOUT ROWID;

-- A watcher reads those of its network.
CREATE INDEX issuers_by_network ON issuers (network, gatekeeper_network, gatekeeper);
CREATE INDEX removed_gatekeepers_by_network ON removed_gatekeepers (network, gatekeeper_network, gatekeeper);

INSERT INTO issuers (network, gatekeeper_network, gatekeeper, contract)
SELECT network, gatekeeper_network, issued_by, coalesce(max(record ->> '$.contract'), '') FROM passes
WHERE issued_by IS NOT NULL AND chain = 'ethereum' AND gatekeeper_network NOT GLOB 'sandbox*'
GROUP BY network, gatekeeper_network, issued_by;

CREATE TRIGGER passes_name_their_issuer_insert AFTER INSERT ON passes
WHEN NEW.issued_by IS NOT NULL AND NEW.chain = 'ethereum' AND NEW.gatekeeper_network NOT GLOB 'sandbox*' AND NOT EXISTS (
  SELECT 1 FROM issuers WHERE network = NEW.network AND gatekeeper_network = NEW.gatekeeper_network AND gatekeeper = NEW.issued_by)
BEGIN
  INSERT INTO issuers (network, gatekeeper_network, gatekeeper, contract)
  VALUES (NEW.network, NEW.gatekeeper_network, NEW.issued_by, coalesce(NEW.record ->> '$.contract', ''));
END;

-- An update names the column even if its value stays.
CREATE TRIGGER passes_name_their_issuer_update AFTER UPDATE OF issued_by ON passes
WHEN NEW.issued_by IS NOT OLD.issued_by AND NEW.issued_by IS NOT NULL
  AND NEW.chain = 'ethereum' AND NEW.gatekeeper_network NOT GLOB 'sandbox*' AND NOT EXISTS (
  SELECT 1 FROM issuers WHERE network = NEW.network AND gatekeeper_network = NEW.gatekeeper_network AND gatekeeper = NEW.issued_by)
BEGIN
  INSERT INTO issuers (network, gatekeeper_network, gatekeeper, contract)
  VALUES (NEW.network, NEW.gatekeeper_network, NEW.issued_by, coalesce(NEW.record ->> '$.contract', ''));
END;
