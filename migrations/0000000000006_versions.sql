-- Up Migration

CREATE TABLE column_lists (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dataset_id bigint NOT NULL REFERENCES datasets ON DELETE CASCADE,
  -- SHA-256 of `columns` as PostgreSQL prints it
  hash bytea NOT NULL,
  columns jsonb NOT NULL,
  UNIQUE (dataset_id, hash)
);
COMMENT ON TABLE column_lists IS
  'The columns of versions, each list once per dataset, because most versions have those of the one before; written when a version is published.';

CREATE TABLE column_list_changes (
  to_list bigint NOT NULL REFERENCES column_lists ON DELETE CASCADE,
  -- 0: there was no version before
  from_list bigint NOT NULL,
  changes jsonb NOT NULL,
  PRIMARY KEY (to_list, from_list)
);
COMMENT ON TABLE column_list_changes IS
  'Difference between the column lists of two neighbouring versions, cut to what a list of versions shows; written when a version is published.';
CREATE INDEX column_list_changes_from ON column_list_changes (from_list);

CREATE TABLE versions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dataset_id bigint NOT NULL REFERENCES datasets ON DELETE CASCADE,
  -- no reference: null for a clone
  process_id bigint,
  mode text NOT NULL,
  label text,
  -- exempt from retention
  pinned boolean NOT NULL DEFAULT false,
  column_list_id bigint NOT NULL REFERENCES column_lists,
  -- the version that this one is a clone or restored copy of: both have the same rows; null: this version itself
  content_id bigint,
  row_count bigint NOT NULL,
  byte_size bigint NOT NULL,
  min_date text,
  max_date text,
  frequency text,
  -- not now(): a transaction may have begun before the version before was created
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- From when on the version answers `asOf`, where that is not `created_at`: a vintage that its provider had published
  -- before. Such versions are created newest first, each with the lowest id of its dataset, so ids are in the order of time.
  valid_from timestamptz,
  -- when the next version was published, even if that was deleted since; null: this is the current one
  replaced_at timestamptz
);
COMMENT ON TABLE versions IS
  'An immutable state of a dataset; written by the worker that publishes an upload, and by the API for restored versions and clones.';
CREATE INDEX versions_dataset ON versions (dataset_id, id);
CREATE INDEX versions_time ON versions (dataset_id, created_at);
CREATE INDEX versions_valid ON versions (dataset_id, coalesce(valid_from, created_at));
CREATE INDEX versions_column_list ON versions (column_list_id);
CREATE INDEX versions_content ON versions (content_id) WHERE content_id IS NOT NULL;

-- For every version, whether it comes from an upload, a restore or a clone: notes that the one before was replaced.
CREATE FUNCTION end_replaced_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE versions SET replaced_at = NEW.created_at WHERE id = (
    SELECT id FROM versions WHERE dataset_id = NEW.dataset_id AND id < NEW.id ORDER BY id DESC LIMIT 1);
  UPDATE datasets SET first_version_at = NEW.created_at WHERE id = NEW.dataset_id AND first_version_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER versions_inserted AFTER INSERT ON versions FOR EACH ROW EXECUTE FUNCTION end_replaced_version();

CREATE TABLE segment_ranges (
  dataset_id bigint NOT NULL REFERENCES datasets ON DELETE CASCADE,
  segment_id bigint NOT NULL REFERENCES segments,
  -- an existing version, so a range is never empty
  from_version bigint NOT NULL,
  -- the first version that does not have the segment; null: the current one has it
  until_version bigint,
  -- the versions have only the rows of uploads with a lower number; null: all rows
  before_upload bigint,
  PRIMARY KEY (segment_id, dataset_id, from_version),
  CHECK (until_version > from_version)
);
COMMENT ON TABLE segment_ranges IS
  'A segment that belongs to the versions of a dataset from one to another. An append adds a row, a replacement ends the open ones; written when a version is published or deleted, and by compactions.';
-- Segments of the current version, and of an older one.
CREATE INDEX segment_ranges_open ON segment_ranges (dataset_id, from_version) WHERE until_version IS NULL;
CREATE INDEX segment_ranges_closed ON segment_ranges USING gist (dataset_id, int8range(from_version, until_version))
  WHERE until_version IS NOT NULL;

CREATE FUNCTION queue_released_segments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO released_segments (segment_id) SELECT DISTINCT segment_id FROM removed;
  RETURN NULL;
END $$;
CREATE TRIGGER segment_ranges_released AFTER DELETE ON segment_ranges REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION queue_released_segments();

CREATE TABLE dataset_storage (
  dataset_id bigint PRIMARY KEY REFERENCES datasets ON DELETE CASCADE,
  bytes bigint NOT NULL
);
COMMENT ON TABLE dataset_storage IS
  'Bytes of the segments that the versions of a dataset have, each segment once: the storage of an account is a sum over its datasets. Written by triggers on segment_ranges alone.';

-- Rows of segment_ranges change under the lock of their dataset, so the sum is exact whatever runs at once. The bytes of a
-- segment are known before the first version has it, and never change afterwards.
CREATE FUNCTION add_dataset_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dataset_storage AS s (dataset_id, bytes)
  SELECT n.dataset_id, sum(coalesce(g.bytes, 0))::bigint
  FROM (SELECT dataset_id, segment_id, count(*) AS ranges FROM added GROUP BY 1, 2) AS n
    JOIN segments g ON g.id = n.segment_id
  WHERE (SELECT count(*) FROM segment_ranges r
         WHERE r.segment_id = n.segment_id AND r.dataset_id = n.dataset_id) = n.ranges
  GROUP BY n.dataset_id
  ON CONFLICT (dataset_id) DO UPDATE SET bytes = s.bytes + excluded.bytes;
  RETURN NULL;
END $$;
CREATE TRIGGER segment_ranges_added AFTER INSERT ON segment_ranges REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION add_dataset_storage();

CREATE FUNCTION subtract_dataset_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dataset_storage s SET bytes = s.bytes - d.bytes FROM (
    SELECT g.dataset_id, sum(coalesce(o.bytes, 0))::bigint AS bytes
    FROM (SELECT DISTINCT dataset_id, segment_id FROM removed) AS g JOIN segments o ON o.id = g.segment_id
    WHERE NOT EXISTS (SELECT 1 FROM segment_ranges r
                      WHERE r.segment_id = g.segment_id AND r.dataset_id = g.dataset_id)
    GROUP BY g.dataset_id) AS d
  WHERE s.dataset_id = d.dataset_id;
  RETURN NULL;
END $$;
CREATE TRIGGER segment_ranges_removed AFTER DELETE ON segment_ranges REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION subtract_dataset_storage();

CREATE TABLE version_days (
  dataset_id bigint PRIMARY KEY REFERENCES datasets ON DELETE CASCADE,
  -- a row whose version is not the current one is out of date
  version_id bigint NOT NULL,
  -- stored name of the date column
  column_name text NOT NULL,
  -- encoded by src/model/day-set.ts
  days text NOT NULL
);
COMMENT ON TABLE version_days IS
  'Days in the date column of the current version, so that an append knows the date range and frequency of the next one without reading rows; written when a version is published.';

CREATE TABLE version_keys (
  version_id bigint PRIMARY KEY REFERENCES versions ON DELETE CASCADE,
  -- storage ids of the columns of the key; null: several rows have the same entities
  storage_ids bigint[]
);
COMMENT ON TABLE version_keys IS
  'Columns by which the rows of a version are known to be unique, so that the next upsert by them and differences by them do not group all rows again; written when a version is published that changes another by its key, and by workers in the background.';

CREATE TABLE version_summaries (
  version_id bigint PRIMARY KEY REFERENCES versions ON DELETE CASCADE,
  -- summaries by column id
  body jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE version_summaries IS 'Summary of the values of each column of a version; written by the API at the first request for it.';
