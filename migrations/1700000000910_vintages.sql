-- Up Migration

-- From when on a version answers asOf, where that is not when it was made: a vintage that its provider had published
-- before. Such versions are made newest first, each with the lowest id of its dataset, so ids stay in the order of time.
ALTER TABLE versions ADD COLUMN valid_from timestamptz;
CREATE INDEX versions_valid ON versions (dataset_id, coalesce(valid_from, created_at));

-- {versionId, validFrom, validUntil}: the upload becomes a version before the oldest one, whose time is validUntil.
ALTER TABLE processes ADD COLUMN vintage jsonb;

-- Vintages of a provider that are brought into a dataset made of series.
CREATE TABLE series_backfills (
  dataset_id bigint PRIMARY KEY REFERENCES series_datasets ON DELETE CASCADE,
  -- YYYY-MM-DD, oldest first, and the ids that were set aside for their versions
  days text[] NOT NULL,
  version_ids bigint[] NOT NULL,
  -- vintages that the provider had
  total integer NOT NULL,
  -- versions that are there
  done integer NOT NULL DEFAULT 0,
  -- vintages that retention would not keep
  skipped integer NOT NULL DEFAULT 0,
  error text,
  -- failed steps in a row
  failures integer NOT NULL DEFAULT 0,
  -- null: it has ended
  next_at timestamptz,
  lease_owner text,
  lease_until timestamptz
);
CREATE INDEX series_backfills_due ON series_backfills (next_at) WHERE next_at IS NOT NULL;

-- Down Migration

DROP TABLE series_backfills;
ALTER TABLE processes DROP COLUMN vintage;
DROP INDEX versions_valid;
ALTER TABLE versions DROP COLUMN valid_from;
