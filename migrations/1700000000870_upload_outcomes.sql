-- Up Migration

ALTER TABLE processes
  -- what became of rows: inserted, replaced, unchanged, removed; null: not known yet, or mode replace
  ADD COLUMN changes jsonb,
  -- everything is checked and counted, nothing is published
  ADD COLUMN dry_run boolean NOT NULL DEFAULT false,
  -- when the rows of a dry run are no longer kept for its difference to be read
  ADD COLUMN kept_until timestamptz;

-- Down Migration

ALTER TABLE processes DROP COLUMN changes, DROP COLUMN dry_run, DROP COLUMN kept_until;
