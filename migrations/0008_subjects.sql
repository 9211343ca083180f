-- A partner finds the passes of a person by its own name for the person, and a gatekeeper network has rules for them. Every shard has all tables.

ALTER TABLE passes ADD COLUMN subject TEXT; -- as in the record; NULL: none

-- Passes without a subject have no row in this index. It has the state, so that the passes of a person can be counted without their rows.
CREATE INDEX passes_by_subject ON passes (gatekeeper_network, subject, id, state) WHERE subject IS NOT NULL;

-- A publication that named the columns would write their indexes each time, even if the names stay the same.
DROP TRIGGER passes_keep_the_reference_of_their_record;
CREATE TRIGGER passes_keep_the_names_of_their_record AFTER UPDATE OF record ON passes
WHEN NEW.record ->> '$.reference' IS NOT NEW.reference OR NEW.record ->> '$.subject' IS NOT NEW.subject
BEGIN
  UPDATE passes SET reference = NEW.record ->> '$.reference', subject = NEW.record ->> '$.subject'
  WHERE gatekeeper_network = NEW.gatekeeper_network AND id = NEW.id;
END;

-- JSON object: the rules of the gatekeeper network for subjects. An absent one does not apply.
ALTER TABLE gatekeeper_networks ADD COLUMN rules TEXT NOT NULL DEFAULT '{}' CHECK (json_type(rules) = 'object');
