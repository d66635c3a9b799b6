-- Up Migration

-- The key that an upload came with, so that its right can be asked for again when it is published; null: none, or an
-- upload of an earlier release. No reference: what became of the key is asked then.
ALTER TABLE processes ADD COLUMN key_id bigint;

-- Down Migration

ALTER TABLE processes DROP COLUMN key_id;
