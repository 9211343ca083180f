-- Additive, so that the previous release keeps working with the database.

-- A search by network. `network` alone suffices, because no two chains have a network of the same name.
CREATE INDEX passes_by_network ON passes (gatekeeper_network, network, state, id);

-- The validity, for the public check. The record has only the wanted expiry, and reading it takes longer.
ALTER TABLE passes ADD COLUMN on_chain_state TEXT;
ALTER TABLE passes ADD COLUMN valid_until INTEGER;            -- Unix seconds: the earlier one of the expiry on chain and the wanted one
-- The version that wrote the validity. The previous release raises only `version`.
ALTER TABLE passes ADD COLUMN validity_version INTEGER NOT NULL DEFAULT 0;
-- 1: `usage.active` counts the pass. The reconciliation corrects rows of the previous release.
ALTER TABLE passes ADD COLUMN is_counted INTEGER NOT NULL DEFAULT 0;

-- 1: anybody may read the validity of its passes.
ALTER TABLE gatekeeper_networks ADD COLUMN public_verify INTEGER NOT NULL DEFAULT 0 CHECK (public_verify IN (0, 1));
CREATE INDEX gatekeeper_networks_public ON gatekeeper_networks (public_verify) WHERE public_verify = 1;

-- Confirmed changes by month (UTC), in the shard with the passes.
CREATE TABLE usage (
  gatekeeper_network TEXT NOT NULL,
  network TEXT NOT NULL,
  month TEXT NOT NULL,                  -- for example 2026-11
  issued INTEGER NOT NULL DEFAULT 0,
  renewed INTEGER NOT NULL DEFAULT 0,
  revoked INTEGER NOT NULL DEFAULT 0,
  active INTEGER NOT NULL DEFAULT 0,    -- growth in that month: the sum over all months is the number of active passes
  PRIMARY KEY (gatekeeper_network, network, month)
) STRICT, WITHOUT ROWID;
