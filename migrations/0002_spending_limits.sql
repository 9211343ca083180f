-- Additive, so that the previous release keeps working with the database.

-- Quota of changes per day (UTC); NULL: unlimited.
ALTER TABLE partners ADD COLUMN daily_changes INTEGER CHECK (daily_changes >= 0);

-- Signers read the suspended clients every half minute.
CREATE INDEX partners_by_status ON partners (status);

-- A key that begins with 24 times '1' begins with 24 zero bytes, so its slot in the Ethereum contract is below 2^64. Slots of
-- that size are assigned to other gatekeeper networks, whose passes the partner could then change.
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
