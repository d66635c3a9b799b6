-- Up Migration

-- The days in the date column of a dataset's current version: with them an append knows the range and the frequency of the
-- next one without reading the rows that were there. A row whose version is not the current one says nothing.
CREATE TABLE version_days (
  dataset_id bigint PRIMARY KEY REFERENCES datasets ON DELETE CASCADE,
  version_id bigint NOT NULL,
  -- stored name of the date column
  column_name text NOT NULL,
  -- as model/day-set.ts writes it
  days text NOT NULL
);

-- Down Migration

DROP TABLE version_days;
