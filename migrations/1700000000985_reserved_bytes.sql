-- Up Migration

-- What a process without a file will write: counted among the stored bytes of its owner while it is pending.
ALTER TABLE processes ADD COLUMN reserved_bytes bigint NOT NULL DEFAULT 0;

-- Down Migration

ALTER TABLE processes DROP COLUMN reserved_bytes;
