-- Up Migration

-- The export that reached the quota of the day: of all that run it alone may be finished.
ALTER TABLE export_usage ADD COLUMN last_export uuid;

-- Files that are read in ranges, one export each: ranges until then are part of it.
CREATE TABLE export_reads (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- fingerprint of the file
  file text NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (account_id, file)
);
CREATE INDEX export_reads_until ON export_reads (until);

-- Down Migration

DROP TABLE export_reads;
ALTER TABLE export_usage DROP COLUMN last_export;
