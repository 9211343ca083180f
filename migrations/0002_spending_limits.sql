-- Additive, so that the release before this one keeps working with the database.

-- Changes per day (UTC); NULL: unlimited.
ALTER TABLE partners ADD COLUMN daily_changes INTEGER CHECK (daily_changes >= 0);

-- Signers read which clients are suspended, every half minute.
CREATE INDEX partners_by_status ON partners (status);

-- A key that begins with 24 times '1' has 24 zero bytes at its front, so its slot in the Ethereum contract is below 2^64.
-- Slots of that size are numbers of other gatekeeper networks, and a partner could change the passes of one of these.
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
