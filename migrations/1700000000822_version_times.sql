-- Up Migration

-- When a version was replaced by the next one, whether that one is kept or not; null: it is the current one.
ALTER TABLE versions ADD COLUMN replaced_at timestamptz,
  -- the time of the transaction may lie before that of the version before
  ALTER COLUMN created_at SET DEFAULT clock_timestamp();
-- When the first version was published, whether it is kept or not; null: there was none.
ALTER TABLE datasets ADD COLUMN first_version_at timestamptz;

UPDATE versions v SET replaced_at = n.created_at
  FROM (SELECT id, lead(created_at) OVER (PARTITION BY dataset_id ORDER BY id) AS created_at FROM versions) n
  WHERE n.id = v.id AND n.created_at IS NOT NULL;
UPDATE datasets d SET first_version_at = f.at
  FROM (SELECT dataset_id, min(created_at) AS at FROM versions GROUP BY dataset_id) f WHERE f.dataset_id = d.id;

-- However a version is made, by an upload, a restore or a clone.
CREATE FUNCTION note_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE versions SET replaced_at = NEW.created_at WHERE id = (
    SELECT id FROM versions WHERE dataset_id = NEW.dataset_id AND id < NEW.id ORDER BY id DESC LIMIT 1);
  UPDATE datasets SET first_version_at = NEW.created_at WHERE id = NEW.dataset_id AND first_version_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER versions_note AFTER INSERT ON versions FOR EACH ROW EXECUTE FUNCTION note_version();
CREATE INDEX versions_time ON versions (dataset_id, created_at);

-- Down Migration

DROP INDEX versions_time;
DROP TRIGGER versions_note ON versions;
DROP FUNCTION note_version();
ALTER TABLE datasets DROP COLUMN first_version_at;
ALTER TABLE versions DROP COLUMN replaced_at, ALTER COLUMN created_at SET DEFAULT now();
