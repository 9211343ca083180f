-- How many passes the partner may issue in a day (UTC); NULL: as many as it wants.
ALTER TABLE partners ADD COLUMN daily_issuances INTEGER CHECK (daily_issuances >= 0);
