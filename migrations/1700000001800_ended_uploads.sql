-- Up Migration

-- Uploads that ended, by minute, status and error code: each sample counts those since the one before, up to `ended_until`, so
-- that the uploads of a day need not be counted one by one.
ALTER TABLE ops_samples ADD COLUMN ended jsonb NOT NULL DEFAULT '[]', ADD COLUMN ended_until timestamptz;

-- Down Migration

ALTER TABLE ops_samples DROP COLUMN ended, DROP COLUMN ended_until;
