-- Up Migration

ALTER TABLE processes
  -- what is worth knowing about the upload; bounded in number and size
  ADD COLUMN notices jsonb NOT NULL DEFAULT '[]',
  -- SHA-256 of an appended file, unpacked and as UTF-8
  ADD COLUMN file_digest bytea;

-- Down Migration

ALTER TABLE processes DROP COLUMN notices, DROP COLUMN file_digest;
