-- Up Migration

-- Rows of the segment that belong to the version: those with `_row` below; null: all. Versions whose last segments
-- were joined into a larger one read its first rows.
ALTER TABLE version_segments ADD COLUMN row_limit bigint;

-- When no version named the segment any more; its rows stay for a while for readers that began before.
ALTER TABLE segments ADD COLUMN unnamed_at timestamptz;

-- What the dataset keeps beside its current version and pinned ones; null: everything that the plan allows
ALTER TABLE datasets
  ADD COLUMN keep_versions integer CHECK (keep_versions >= 1),
  ADD COLUMN keep_days integer CHECK (keep_days >= 1);

ALTER TABLE plans ADD COLUMN max_versions bigint, ADD COLUMN max_version_days bigint;
UPDATE plans SET max_versions = 30, max_version_days = 365 WHERE name = 'free';

-- A compaction writes one segment that takes the place of a run of segments. The row comes before the first row in
-- ClickHouse and stays, so that no number is used twice.
CREATE TABLE compactions (
  segment_id bigint PRIMARY KEY,
  store_id bigint NOT NULL REFERENCES stores ON DELETE CASCADE,
  state text NOT NULL DEFAULT 'writing' CHECK (state IN ('writing', 'done', 'abandoned')),
  -- the worker that writes says so again and again; afterwards anybody may abandon it
  lease_until timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX compactions_writing ON compactions (store_id) WHERE state = 'writing';

-- Down Migration

DROP TABLE compactions;
ALTER TABLE plans DROP COLUMN max_versions, DROP COLUMN max_version_days;
ALTER TABLE datasets DROP COLUMN keep_versions, DROP COLUMN keep_days;
ALTER TABLE segments DROP COLUMN unnamed_at;
ALTER TABLE version_segments DROP COLUMN row_limit;
