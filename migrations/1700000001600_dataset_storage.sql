-- Up Migration

-- Bytes of the segments that the versions of a dataset name, each segment once: what an account stores is a sum over its
-- datasets, not over all of their segments. Kept by triggers on `segment_ranges`, whose rows change under the lock of their
-- dataset, so that the sum is exact whatever runs at once. A segment is counted before the first version names it, and its
-- bytes never change afterwards.
CREATE TABLE dataset_storage (
  dataset_id bigint PRIMARY KEY REFERENCES datasets ON DELETE CASCADE,
  bytes bigint NOT NULL
);

CREATE FUNCTION count_named_segments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dataset_storage AS s (dataset_id, bytes)
  SELECT n.dataset_id, sum(coalesce(g.bytes, 0))::bigint
  FROM (SELECT dataset_id, segment_id, count(*) AS ranges FROM named GROUP BY 1, 2) AS n
    JOIN segments g ON g.id = n.segment_id
  WHERE (SELECT count(*) FROM segment_ranges r
         WHERE r.segment_id = n.segment_id AND r.dataset_id = n.dataset_id) = n.ranges
  GROUP BY n.dataset_id
  ON CONFLICT (dataset_id) DO UPDATE SET bytes = s.bytes + excluded.bytes;
  RETURN NULL;
END $$;

CREATE FUNCTION count_dropped_segments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dataset_storage s SET bytes = s.bytes - d.bytes FROM (
    SELECT g.dataset_id, sum(coalesce(o.bytes, 0))::bigint AS bytes
    FROM (SELECT DISTINCT dataset_id, segment_id FROM gone) AS g JOIN segments o ON o.id = g.segment_id
    WHERE NOT EXISTS (SELECT 1 FROM segment_ranges r
                      WHERE r.segment_id = g.segment_id AND r.dataset_id = g.dataset_id)
    GROUP BY g.dataset_id) AS d
  WHERE s.dataset_id = d.dataset_id;
  RETURN NULL;
END $$;

CREATE TRIGGER segment_ranges_counted AFTER INSERT ON segment_ranges REFERENCING NEW TABLE AS named
  FOR EACH STATEMENT EXECUTE FUNCTION count_named_segments();
CREATE TRIGGER segment_ranges_dropped AFTER DELETE ON segment_ranges REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_dropped_segments();

INSERT INTO dataset_storage (dataset_id, bytes)
SELECT r.dataset_id, sum(coalesce(g.bytes, 0))::bigint
FROM (SELECT DISTINCT dataset_id, segment_id FROM segment_ranges) AS r JOIN segments g ON g.id = r.segment_id
GROUP BY r.dataset_id;

-- Down Migration

DROP TRIGGER segment_ranges_dropped ON segment_ranges;
DROP TRIGGER segment_ranges_counted ON segment_ranges;
DROP FUNCTION count_dropped_segments;
DROP FUNCTION count_named_segments;
DROP TABLE dataset_storage;
