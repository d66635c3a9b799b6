-- Up Migration

CREATE TABLE read_copies (
  version_id bigint PRIMARY KEY REFERENCES versions ON DELETE CASCADE,
  -- its table in ClickHouse, on the shard of the dataset; another one for each attempt; null: not begun
  table_name text UNIQUE,
  -- columns of the table that are not Nullable
  plain_columns text[] NOT NULL DEFAULT '{}',
  -- on disk
  bytes bigint NOT NULL DEFAULT 0,
  -- null: requested, or being written
  made_at timestamptz,
  -- when a failed attempt is repeated
  next_try_at timestamptz NOT NULL DEFAULT now(),
  -- at most some minutes before the last read
  read_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE read_copies IS
  'A copy of the rows of a version that is read in their place, with dictionaries of texts and without nulls where there are none; written by the API when a large version is read again, which requests it, and by the worker that makes and drops it.';
