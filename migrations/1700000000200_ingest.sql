-- Up Migration

CREATE TABLE processes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dataset_id bigint NOT NULL REFERENCES datasets ON DELETE CASCADE,
  mode text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'completed', 'failed')),
  -- receiving: the API reads the file; insert: chunks are inserted as they come; collect: a value did not fit,
  -- chunks are only noted; replay: one worker reads them again; ready: waits for its turn to be published;
  -- merge: one worker joins it with the version before; merged: waits to be published
  phase text NOT NULL DEFAULT 'insert'
    CHECK (phase IN ('insert', 'collect', 'replay', 'ready', 'merge', 'merged')),
  attempt integer NOT NULL DEFAULT 1,
  -- what each field of a record becomes; null until the first chunk was seen
  layout jsonb,
  chunk_count integer,
  received_bytes bigint NOT NULL DEFAULT 0,
  inserted_chunks integer NOT NULL DEFAULT 0,
  inserted_rows bigint NOT NULL DEFAULT 0,
  rejected_rows bigint NOT NULL DEFAULT 0,
  -- number of the segment that a merge writes; null: none was begun
  merge_attempt integer,
  -- what a merge came to: base version, own segment or none, columns, facts
  merge jsonb,
  -- the version that must be the one before; null: any
  expected_version bigint,
  -- facts of the finished segment: rows, bytes, date range, frequency
  facts jsonb,
  version_id bigint,
  error jsonb,
  created_by bigint NOT NULL REFERENCES accounts,
  request_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- last sign of life of the API that receives the file
  received_at timestamptz NOT NULL DEFAULT now(),
  -- when the last chunk was handed to Kafka; null: still receiving
  sealed_at timestamptz,
  completed_at timestamptz,
  lease_owner text,
  lease_until timestamptz
);
CREATE INDEX processes_dataset ON processes (dataset_id, id);
CREATE INDEX processes_pending ON processes (id) WHERE status = 'pending';

-- A chunk of an upload that a worker has seen, and where it lies in Kafka.
CREATE TABLE chunks (
  process_id bigint NOT NULL REFERENCES processes ON DELETE CASCADE,
  number integer NOT NULL,
  rows bigint NOT NULL,
  bytes bigint NOT NULL,
  first_line bigint NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  -- "offset" is a word of SQL
  position bigint NOT NULL,
  -- the attempt whose segment holds its rows; 0: in none
  inserted_attempt integer NOT NULL DEFAULT 0,
  PRIMARY KEY (process_id, number)
);

-- Records that were set aside; bounded in number and size.
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

-- An immutable set of rows: one partition of the store's table. A row here comes before the first insert, so
-- that nothing can lie in ClickHouse that is not known here.
CREATE TABLE segments (
  id bigint PRIMARY KEY,
  store_id bigint NOT NULL REFERENCES stores,
  -- no reference: a segment outlives the process and the dataset it came from
  process_id bigint NOT NULL,
  rows bigint,
  bytes bigint,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX segments_store ON segments (store_id);
CREATE INDEX segments_process ON segments (process_id);

CREATE TABLE versions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dataset_id bigint NOT NULL REFERENCES datasets ON DELETE CASCADE,
  process_id bigint,
  mode text NOT NULL,
  label text,
  -- kept whatever retention says
  pinned boolean NOT NULL DEFAULT false,
  columns jsonb NOT NULL,
  row_count bigint NOT NULL,
  byte_size bigint NOT NULL,
  min_date text,
  max_date text,
  frequency text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX versions_dataset ON versions (dataset_id, id);

CREATE TABLE version_segments (
  version_id bigint NOT NULL REFERENCES versions ON DELETE CASCADE,
  segment_id bigint NOT NULL REFERENCES segments,
  PRIMARY KEY (version_id, segment_id)
);
CREATE INDEX version_segments_segment ON version_segments (segment_id);

-- Down Migration

DROP TABLE version_segments, versions, segments, rejects, chunks, processes CASCADE;
