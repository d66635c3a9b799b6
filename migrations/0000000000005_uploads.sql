-- Up Migration

CREATE TABLE processes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dataset_id bigint NOT NULL REFERENCES datasets ON DELETE CASCADE,
  -- Uploads of a dataset are published in the order of `id`. A process that was reserved gets a new id when its upload is
  -- accepted, and keeps the id that the client knows here. Null: `id`.
  public_id bigint,
  created_by bigint NOT NULL REFERENCES accounts,
  -- Key of the upload: its rights are checked again at publication. Null: none. No reference: the key may be deleted.
  key_id bigint,
  request_id text NOT NULL,
  -- trace of the upload request; null: it was not traced
  trace_id text,

  -- null: reserved, and its upload has not said
  mode text,
  -- everything is checked and counted, nothing is published
  dry_run boolean NOT NULL DEFAULT false,
  -- the version that must be the current one; null: any
  expected_version bigint,
  -- {versionId, validFrom, validUntil}: the upload becomes a version before the oldest one, whose time is validUntil
  vintage jsonb,

  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'completed', 'failed')),
  -- reserved: no upload yet; receive: the API reads the file and inserts nothing yet; insert: chunks are inserted as they
  -- come; collect: a value did not fit, chunks are only recorded; replay: one worker reads them again; ready: waits for
  -- its turn to be published; merge: one worker joins it with the version before; merged: waits to be published
  phase text NOT NULL DEFAULT 'insert'
    CHECK (phase IN ('reserved', 'receive', 'insert', 'collect', 'replay', 'ready', 'merge', 'merged')),
  -- number of the upload in its dataset, from 1, in the order in which uploads are accepted: the positions of its rows begin
  -- with it. Null: reserved
  upload_number bigint,
  -- number of the segment that is written
  attempt integer NOT NULL DEFAULT 1,
  -- column and type for each field of a record; null until the first chunk was seen
  layout jsonb,
  -- what a worker must know to work on the upload (src/uploads/options/needs.ts); null: nothing in particular
  needs jsonb GENERATED ALWAYS AS (layout -> 'needs') STORED,

  -- bytes of the request body, as sent, and as its head announced (null: it did not)
  sent_bytes bigint NOT NULL DEFAULT 0,
  expected_bytes bigint,
  -- bytes of the file, unpacked
  received_bytes bigint NOT NULL DEFAULT 0,
  -- chunks handed to Kafka so far, and in all (null: still receiving)
  sent_chunks integer NOT NULL DEFAULT 0,
  chunk_count integer,
  -- secret that authenticates the chunks of the upload
  chunk_key bytea,
  inserted_chunks integer NOT NULL DEFAULT 0,
  inserted_rows bigint NOT NULL DEFAULT 0,
  rejected_rows bigint NOT NULL DEFAULT 0,
  -- SHA-256 of an appended file, unpacked and as UTF-8
  file_digest bytea,
  -- bytes that a process without a file will write: they count as stored by the owner while it is pending
  reserved_bytes bigint NOT NULL DEFAULT 0,
  -- True once a worker has begun to insert the only chunk of the upload together with those of others. No other worker
  -- writes the segment of that attempt: a second delivery of the chunk begins the next one
  -- (docs/adr/0063-short-batches.md).
  in_batch boolean NOT NULL DEFAULT false,

  -- number of the segment that a merge writes; null: none was begun
  merge_attempt integer,
  -- outcome of a merge: base version, own segment or none, columns, facts
  merge jsonb,

  -- facts of the finished segment: rows, bytes, date range, frequency
  facts jsonb,
  -- rows inserted, replaced, unchanged, removed; null: not known yet, or mode replace
  changes jsonb,
  -- notes for the sender, limited in number and size
  notices jsonb NOT NULL DEFAULT '[]',
  version_id bigint,
  error jsonb,

  created_at timestamptz NOT NULL DEFAULT now(),
  -- until when an upload may use a process that was reserved; null: one does, or it was not reserved
  expires_at timestamptz,
  -- last sign of life of the API process that receives the file
  heartbeat_at timestamptz NOT NULL DEFAULT now(),
  -- when the last chunk was handed to Kafka; null: still receiving
  sealed_at timestamptz,
  -- the API has not recorded yet that the sender gets its answer: the upload must not be published
  awaits_answer boolean NOT NULL DEFAULT false,
  ended_at timestamptz,
  -- end of the time for which the rows of a dry run are kept, so that its difference can be read
  kept_until timestamptz
);
COMMENT ON TABLE processes IS
  'An upload, or another change of a dataset, with its state: written by the API until the file was received, then by workers.';
CREATE INDEX processes_dataset ON processes (dataset_id, id);
CREATE INDEX processes_shown ON processes (dataset_id, coalesce(public_id, id));
CREATE UNIQUE INDEX processes_public ON processes (public_id) WHERE public_id IS NOT NULL;
CREATE INDEX processes_pending ON processes (id) WHERE status = 'pending';
-- The upload that comes next in a dataset, and those that ended lately, however many there were before.
CREATE INDEX processes_in_line ON processes (dataset_id, id) WHERE status = 'pending';
CREATE INDEX processes_ended ON processes (ended_at) WHERE status <> 'pending';
CREATE INDEX processes_reserved ON processes (created_by) WHERE expires_at IS NOT NULL;

CREATE TABLE chunks (
  process_id bigint NOT NULL REFERENCES processes ON DELETE CASCADE,
  number integer NOT NULL,
  rows bigint NOT NULL,
  bytes bigint NOT NULL,
  first_line bigint NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  -- offset is a reserved word of SQL
  kafka_offset bigint NOT NULL,
  -- the attempt whose segment has its rows; 0: none
  inserted_attempt integer NOT NULL DEFAULT 0,
  PRIMARY KEY (process_id, number)
);
COMMENT ON TABLE chunks IS 'A chunk of an upload that a worker has seen, and where it is in Kafka; written by that worker.';

CREATE TABLE rejects (
  process_id bigint NOT NULL REFERENCES processes ON DELETE CASCADE,
  attempt integer NOT NULL,
  row bigint NOT NULL,
  line bigint NOT NULL,
  column_name text,
  reason text NOT NULL,
  message text NOT NULL,
  raw text NOT NULL,
  PRIMARY KEY (process_id, attempt, row)
);
COMMENT ON TABLE rejects IS
  'A record of an upload that was set aside because a value did not fit, limited in number and size; written by workers.';

CREATE TABLE dead_letters (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  origin_topic text NOT NULL,
  origin_partition integer NOT NULL,
  origin_offset bigint NOT NULL,
  -- the copy in the dead-letter topic
  topic text NOT NULL,
  partition integer NOT NULL,
  kafka_offset bigint NOT NULL,
  reason text NOT NULL,
  bytes bigint NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'replayed', 'dropped')),
  recorded_at timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  -- a message that is delivered twice is recorded once
  UNIQUE (origin_topic, origin_partition, origin_offset)
);
COMMENT ON TABLE dead_letters IS
  'A message that no worker could read, and the decision of an operator about it; written by workers and the API. The bytes are in the dead-letter topic: Kafka cannot delete a single record.';
CREATE INDEX dead_letters_waiting ON dead_letters (id) WHERE state = 'waiting';
