-- Up Migration

-- True once a worker has begun to insert the upload's only chunk together with those of others. Nobody else writes the
-- segment of that attempt: a second delivery of the chunk begins the next one (docs/adr/0063-short-batches.md).
ALTER TABLE processes ADD COLUMN in_batch boolean NOT NULL DEFAULT false;

-- Down Migration

ALTER TABLE processes DROP COLUMN in_batch;
