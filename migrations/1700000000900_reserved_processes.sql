-- Up Migration

-- An id may be given out before its file comes. Uploads of a dataset publish in the order of `id`, so a process that
-- was reserved takes a new one when its upload is accepted, and keeps the one that was given out.
ALTER TABLE processes
  -- the id that was given out; null: `id`
  ADD COLUMN public_id bigint,
  -- until when an upload may fill a process that was reserved; null: one fills it, or it was not reserved
  ADD COLUMN expires_at timestamptz,
  -- bytes of the request's body, as sent
  ADD COLUMN sent_bytes bigint NOT NULL DEFAULT 0,
  -- as its head announced; null: it did not say
  ADD COLUMN expected_bytes bigint,
  -- chunks handed to Kafka
  ADD COLUMN sent_chunks integer NOT NULL DEFAULT 0,
  -- null: reserved, its upload has not said
  ALTER COLUMN mode DROP NOT NULL,
  DROP CONSTRAINT processes_phase_check,
  ADD CONSTRAINT processes_phase_check
    CHECK (phase IN ('reserved', 'receive', 'insert', 'collect', 'replay', 'ready', 'merge', 'merged'));
CREATE UNIQUE INDEX processes_public ON processes (public_id) WHERE public_id IS NOT NULL;
CREATE INDEX processes_shown ON processes (dataset_id, coalesce(public_id, id));
CREATE INDEX processes_reserved ON processes (created_by) WHERE expires_at IS NOT NULL;

-- Down Migration

DROP INDEX processes_shown;
DELETE FROM processes WHERE mode IS NULL OR phase IN ('reserved', 'receive');
ALTER TABLE processes
  DROP CONSTRAINT processes_phase_check,
  ADD CONSTRAINT processes_phase_check
    CHECK (phase IN ('insert', 'collect', 'replay', 'ready', 'merge', 'merged')),
  ALTER COLUMN mode SET NOT NULL,
  DROP COLUMN public_id, DROP COLUMN expires_at, DROP COLUMN sent_bytes, DROP COLUMN expected_bytes,
  DROP COLUMN sent_chunks;
