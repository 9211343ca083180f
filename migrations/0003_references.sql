-- A partner finds its passes by its own name for them. Every shard has all tables.

ALTER TABLE passes ADD COLUMN reference TEXT; -- as in the record; NULL: none

-- Passes without a reference have no row in this index.
CREATE INDEX passes_by_reference ON passes (gatekeeper_network, reference, id) WHERE reference IS NOT NULL;

-- A publication that named the column would write the index each time, even if the reference stays the same.
CREATE TRIGGER passes_keep_the_reference_of_their_record AFTER UPDATE OF record ON passes
WHEN NEW.record ->> '$.reference' IS NOT NEW.reference
BEGIN
  UPDATE passes SET reference = NEW.record ->> '$.reference'
  WHERE gatekeeper_network = NEW.gatekeeper_network AND id = NEW.id;
END;
