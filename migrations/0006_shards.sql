-- In which database the passes of the partner are: the name of its binding. Partners themselves are all in `DB`.
ALTER TABLE partners ADD COLUMN shard TEXT NOT NULL DEFAULT 'DB'
  CHECK (shard = 'DB' OR (shard GLOB 'DB_[1-9]*' AND substr(shard, 4) NOT GLOB '*[^0-9]*'));

-- The passes of a gatekeeper network are in one place, and nothing moves them: whoever looks elsewhere finds none of them.
CREATE TRIGGER partners_share_a_shard BEFORE INSERT ON partners
WHEN EXISTS (SELECT 1 FROM partners WHERE gatekeeper_network = NEW.gatekeeper_network AND shard <> NEW.shard)
BEGIN
  SELECT RAISE(ABORT, 'the passes of this gatekeeper network are in another shard');
END;
CREATE TRIGGER partners_stay_in_their_shard BEFORE UPDATE OF gatekeeper_network, shard ON partners
WHEN (NEW.gatekeeper_network = OLD.gatekeeper_network AND NEW.shard <> OLD.shard)
  OR EXISTS (SELECT 1 FROM partners WHERE gatekeeper_network = NEW.gatekeeper_network AND shard <> NEW.shard)
BEGIN
  SELECT RAISE(ABORT, 'the passes of this gatekeeper network are in another shard');
END;
