-- Up Migration

-- When the first of the failed runs since the last good one was; null: the last run went well.
ALTER TABLE series_datasets ADD COLUMN failing_since timestamptz;
UPDATE series_datasets SET failing_since = last_run_at WHERE last_error IS NOT NULL;

-- Down Migration

ALTER TABLE series_datasets DROP COLUMN failing_since;
