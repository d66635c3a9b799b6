-- Up Migration

-- One row for each running API process and worker, renewed by its heartbeat. Of no use after a crash or in a backup.
CREATE UNLOGGED TABLE live_processes (
  id uuid PRIMARY KEY,
  kind text NOT NULL,
  address text NOT NULL,
  version text NOT NULL,
  commit_id text NOT NULL,
  -- names of the master keys that it can open, the sealing one first; null: it handles no provider keys
  master_keys text[],
  -- counts as running until then
  lives_until timestamptz NOT NULL
);

-- Down Migration

DROP TABLE live_processes;
