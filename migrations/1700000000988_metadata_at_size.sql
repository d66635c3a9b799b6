-- Up Migration

-- Segments in the tables of their stores, which are few where most datasets are small: workers look for them all the time.
CREATE INDEX segments_own ON segments (store_id) WHERE slot_map_id IS NULL;

-- Current versions in the order of their ids, some at a time, for what is made ahead of them.
CREATE INDEX datasets_current ON datasets (current_version_id) WHERE current_version_id IS NOT NULL;

-- Down Migration

DROP INDEX datasets_current;
DROP INDEX segments_own;
