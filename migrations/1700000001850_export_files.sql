-- Up Migration

-- The version that this one is a clone or restored copy of: both have the same rows. Null: this version itself.
ALTER TABLE versions ADD COLUMN content_id bigint;
CREATE INDEX versions_content ON versions (content_id) WHERE content_id IS NOT NULL;

-- Prepared files of whole versions, to limit the bytes that they use.
CREATE TABLE export_files (
  key text PRIMARY KEY,
  -- owner of the dataset that the file was made for
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  bytes bigint NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now(),
  used_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX export_files_account ON export_files (account_id);

-- Down Migration

DROP TABLE export_files;
DROP INDEX versions_content;
ALTER TABLE versions DROP COLUMN content_id;
