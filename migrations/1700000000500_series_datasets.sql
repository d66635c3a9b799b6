-- Up Migration

-- Datasets that are made of series of a provider, and when they are made anew.
CREATE TABLE series_datasets (
  dataset_id bigint PRIMARY KEY REFERENCES datasets ON DELETE CASCADE,
  -- in whose name the provider is asked and the data uploaded
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  provider text NOT NULL,
  series_ids text[] NOT NULL,
  params jsonb NOT NULL,
  -- "daily", "weekly" or five fields of cron in UTC; null: only when asked
  schedule text,
  next_run_at timestamptz,
  last_run_at timestamptz,
  last_error text,
  -- failed runs since the last good one
  failures integer NOT NULL DEFAULT 0,
  -- SHA-256 of the last upload, and its process: the same data makes no new version
  content_hash bytea,
  process_id bigint,
  -- a run under way
  lease_owner text,
  lease_until timestamptz
);
CREATE INDEX series_datasets_due ON series_datasets (next_run_at) WHERE next_run_at IS NOT NULL;

-- Down Migration

DROP TABLE series_datasets;
