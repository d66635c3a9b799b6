-- Up Migration

ALTER TABLE processes
  -- secret with which the API authenticates the chunks of the upload; null: accepted by a release that did not
  ADD COLUMN chunk_key bytea,
  -- trace of the upload request; null: it was not traced
  ADD COLUMN trace_id text,
  -- the API has not recorded yet that the sender gets its answer: the upload must not be published
  ADD COLUMN awaits_answer boolean NOT NULL DEFAULT false;

-- Down Migration

ALTER TABLE processes DROP COLUMN chunk_key, DROP COLUMN trace_id, DROP COLUMN awaits_answer;
