-- Up Migration

-- The columns of versions, each list once per dataset: most versions have those of the one before.
CREATE TABLE column_lists (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dataset_id bigint NOT NULL REFERENCES datasets ON DELETE CASCADE,
  -- SHA-256 of the columns as PostgreSQL writes them
  hash bytea NOT NULL,
  columns jsonb NOT NULL,
  UNIQUE (dataset_id, hash)
);

-- What differs between the lists of two neighbouring versions, cut to what a list of versions shows.
CREATE TABLE column_list_changes (
  to_list bigint NOT NULL REFERENCES column_lists ON DELETE CASCADE,
  -- 0: there was no version before
  from_list bigint NOT NULL,
  changes jsonb NOT NULL,
  PRIMARY KEY (to_list, from_list)
);
CREATE INDEX column_list_changes_from ON column_list_changes (from_list);

ALTER TABLE versions ADD COLUMN column_list_id bigint REFERENCES column_lists;
INSERT INTO column_lists (dataset_id, hash, columns)
  SELECT DISTINCT ON (v.dataset_id, h.hash) v.dataset_id, h.hash, v.columns
  FROM versions v, LATERAL (SELECT sha256(convert_to(v.columns::text, 'UTF8')) AS hash) h;
UPDATE versions v SET column_list_id = l.id FROM column_lists l
  WHERE l.dataset_id = v.dataset_id AND l.hash = sha256(convert_to(v.columns::text, 'UTF8'));
ALTER TABLE versions ALTER COLUMN column_list_id SET NOT NULL, DROP COLUMN columns;
CREATE INDEX versions_column_list ON versions (column_list_id);

-- Down Migration

ALTER TABLE versions ADD COLUMN columns jsonb;
UPDATE versions v SET columns = l.columns FROM column_lists l WHERE l.id = v.column_list_id;
ALTER TABLE versions ALTER COLUMN columns SET NOT NULL, DROP COLUMN column_list_id;
DROP TABLE column_list_changes;
DROP TABLE column_lists;
