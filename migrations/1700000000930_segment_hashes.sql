-- Up Migration

-- Hash of the rows of a segment as they lie in ClickHouse, written down soon after it was published; later looks are compared
-- with it. It belongs to the place of the segment: whoever moves it takes it away. Null: not known yet.
ALTER TABLE segments ADD COLUMN hash text;
CREATE INDEX segments_unhashed ON segments (id) WHERE hash IS NULL AND rows > 0;

-- Down Migration

DROP INDEX segments_unhashed;
ALTER TABLE segments DROP COLUMN hash;
