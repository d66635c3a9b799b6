-- Up Migration

CREATE EXTENSION IF NOT EXISTS btree_gist;

-- Which segments the versions of a dataset are made of: a segment belongs to all versions from one to another. An
-- append adds one row, a replacement ends the rows that are open, a restored version opens what it has again.
-- Bounds are ids of versions that exist: a range is never empty.
CREATE TABLE segment_ranges (
  dataset_id bigint NOT NULL REFERENCES datasets ON DELETE CASCADE,
  segment_id bigint NOT NULL REFERENCES segments,
  from_version bigint NOT NULL,
  -- the first version that lacks it again; null: the current one has it
  until_version bigint,
  -- rows of the segment that belong to these versions: those with `_row` below; null: all
  row_limit bigint,
  PRIMARY KEY (segment_id, dataset_id, from_version),
  CHECK (until_version > from_version)
);

WITH numbered AS (
  SELECT id, dataset_id, row_number() OVER versions AS place, lead(id) OVER versions AS next
  FROM versions WINDOW versions AS (PARTITION BY dataset_id ORDER BY id)
), listed AS (
  SELECT v.dataset_id, s.segment_id, s.row_limit, v.id, v.place, v.next, v.place - row_number() OVER (
    PARTITION BY v.dataset_id, s.segment_id, s.row_limit ORDER BY v.place) AS stretch
  FROM version_segments s JOIN numbered v ON v.id = s.version_id
)
INSERT INTO segment_ranges (dataset_id, segment_id, from_version, until_version, row_limit)
  SELECT dataset_id, segment_id, min(id), (array_agg(next ORDER BY place DESC))[1], row_limit
  FROM listed GROUP BY dataset_id, segment_id, row_limit, stretch;

-- The segments of the current version, and those of an older one.
CREATE INDEX segment_ranges_open ON segment_ranges (dataset_id, from_version) WHERE until_version IS NULL;
CREATE INDEX segment_ranges_closed ON segment_ranges USING gist (dataset_id, int8range(from_version, until_version))
  WHERE until_version IS NOT NULL;

DROP TABLE version_segments;

-- swapping: the segment is whole, versions come to name it one after the other
ALTER TABLE compactions DROP CONSTRAINT compactions_state_check,
  ADD CONSTRAINT compactions_state_check CHECK (state IN ('writing', 'swapping', 'done', 'abandoned')),
  -- the segments that it takes the place of, in reading order, and where their rows stand in it
  ADD COLUMN run bigint[],
  ADD COLUMN starts bigint[];
DROP INDEX compactions_writing;
CREATE UNIQUE INDEX compactions_running ON compactions (store_id) WHERE state IN ('writing', 'swapping');

-- Down Migration

DROP INDEX compactions_running;
UPDATE compactions SET state = 'done' WHERE state = 'swapping';
ALTER TABLE compactions DROP CONSTRAINT compactions_state_check,
  ADD CONSTRAINT compactions_state_check CHECK (state IN ('writing', 'done', 'abandoned')),
  DROP COLUMN run, DROP COLUMN starts;
CREATE UNIQUE INDEX compactions_writing ON compactions (store_id) WHERE state = 'writing';

CREATE TABLE version_segments (
  version_id bigint NOT NULL REFERENCES versions ON DELETE CASCADE,
  segment_id bigint NOT NULL REFERENCES segments,
  row_limit bigint,
  PRIMARY KEY (version_id, segment_id)
);
CREATE INDEX version_segments_segment ON version_segments (segment_id);
INSERT INTO version_segments (version_id, segment_id, row_limit)
  SELECT v.id, r.segment_id, r.row_limit FROM segment_ranges r JOIN versions v ON v.dataset_id = r.dataset_id
    AND v.id >= r.from_version AND (r.until_version IS NULL OR v.id < r.until_version);
DROP TABLE segment_ranges;
