-- Up Migration

-- Segments that a version let go of: the sweep looks at these and not at all there are. A row may say nothing any more.
CREATE TABLE unlisted_segments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  segment_id bigint NOT NULL
);

CREATE FUNCTION note_unlisted_segments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unlisted_segments (segment_id) SELECT DISTINCT segment_id FROM gone;
  RETURN NULL;
END $$;

CREATE TRIGGER segment_ranges_unlisted AFTER DELETE ON segment_ranges REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION note_unlisted_segments();

-- What the sweep drops: segments that were never published, and those that lost their last version.
CREATE INDEX segments_unpublished ON segments (id) WHERE rows IS NULL;
CREATE INDEX segments_unnamed ON segments (unnamed_at) WHERE unnamed_at IS NOT NULL;

-- The upload that comes next in a dataset, however many there were before.
CREATE INDEX processes_in_line ON processes (dataset_id, id) WHERE status = 'pending';

-- Down Migration

DROP INDEX processes_in_line;
DROP INDEX segments_unnamed;
DROP INDEX segments_unpublished;
DROP TRIGGER segment_ranges_unlisted ON segment_ranges;
DROP FUNCTION note_unlisted_segments;
DROP TABLE unlisted_segments;
