-- Additive, so that the previous release keeps working with the database.

-- The authorization server's name of the partner's organization. A person who signs in to the console belongs to it. NULL: nobody
-- signs in for this partner.
ALTER TABLE partners ADD COLUMN organization TEXT CHECK (organization <> '');
CREATE UNIQUE INDEX partners_by_organization ON partners (organization);
