-- One table for work that takes many slices, in place of two. Nothing is copied: 1.0.0 runs nowhere, so no run is stored.

DROP TABLE reconciliations;
DROP TABLE rebuilds;
DELETE FROM absences;

-- The newest run of each kind and subject.
CREATE TABLE runs (
  kind TEXT NOT NULL CHECK (kind IN ('reconciliation', 'rebuild')),
  subject TEXT NOT NULL,                -- the shard of a rebuild; the reconciliation has none: ''
  run INTEGER NOT NULL DEFAULT 1,       -- rises with each run of the reconciliation
  started INTEGER NOT NULL,             -- Unix seconds
  updated INTEGER NOT NULL,             -- when a rebuild last made progress; the night of the reconciliation (Unix seconds)
  finished INTEGER,
  position TEXT,                        -- where the next slice or the next run begins; NULL: at the beginning
  slices INTEGER NOT NULL DEFAULT 0,    -- number of slices; of the reconciliation, those of that night
  counts TEXT NOT NULL DEFAULT '{}',    -- JSON
  PRIMARY KEY (kind, subject)
) STRICT, WITHOUT ROWID;
