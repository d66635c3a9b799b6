-- Up Migration

-- Both are used below and in later files; creating them needs the right to CREATE in the database.
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE settings (
  name text PRIMARY KEY,
  value text NOT NULL
);
COMMENT ON TABLE settings IS
  'One value that all processes of the installation share, such as its id; written by each part for its own names.';

-- Identity of these files. The migration sets it for its session, so it is recorded together with the first table.
INSERT INTO settings VALUES ('schema_baseline', current_setting('tabulary.baseline'));

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
COMMENT ON TABLE live_processes IS
  'A running API process or worker, written by its own heartbeat; unlogged, because it is of no use after a crash or in a backup.';

CREATE UNLOGGED TABLE consumer_members (
  member_id text PRIMARY KEY,
  group_id text NOT NULL,
  worker uuid NOT NULL,
  -- host and port of the worker: a worker that listens there has replaced any earlier one
  address text NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE consumer_members IS
  'One member of a Kafka consumer group and the worker that it belongs to, written by that worker; unlogged, because workers write it again.';

CREATE TABLE jobs (
  name text NOT NULL,
  -- empty: the job of the installation. Otherwise the process, upload, segment or dataset that the row is for
  subject text NOT NULL DEFAULT '',
  -- when the next run is due, and the interval after it. Null: work that something else starts; the row is its lease alone
  run_at timestamptz,
  every_ms bigint,
  -- The run under way: the process that does it, the token of this run, and the end of its lease, which the process renews.
  holder uuid,
  lease uuid,
  held_until timestamptz,
  started_at timestamptz,
  -- the last run that ended; failure null: it went well
  ended_at timestamptz,
  duration_ms bigint,
  failure text,
  -- failed runs in a row
  failures integer NOT NULL DEFAULT 0,
  PRIMARY KEY (name, subject)
);
COMMENT ON TABLE jobs IS
  'A job of src/jobs/list.ts with its schedule, last run and lease, or a lease on one thing that a job works on; written by API processes, workers and admin commands.';

CREATE TABLE ops_samples (
  minute timestamptz PRIMARY KEY,
  sample jsonb NOT NULL,
  -- uploads that ended since the sample before, up to `ended_until`, by minute, status and error code
  ended jsonb NOT NULL DEFAULT '[]',
  ended_until timestamptz
);
COMMENT ON TABLE ops_samples IS
  'State of the service in one minute, kept for a day for the operator console; written by the first API process of that minute, which also deletes old ones.';

CREATE TABLE audit_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  -- account: over HTTP with a key; command: an admin command on the machine; service: the product itself
  actor text NOT NULL CHECK (actor IN ('account', 'command', 'service')),
  -- ids and the names at that time, without references: account and target may be deleted later
  account_id bigint,
  account_name text,
  key_id bigint,
  address text,
  request_id text,
  action text NOT NULL,
  target_kind text NOT NULL,
  target_id bigint,
  target_name text,
  details jsonb NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE audit_events IS
  'One action with its actor, time and client address; written in the transaction of the action.';
CREATE INDEX audit_events_at ON audit_events (at);
CREATE INDEX audit_events_account ON audit_events (account_id, id);
CREATE INDEX audit_events_action ON audit_events (action, id);
CREATE INDEX audit_events_target ON audit_events (target_kind, target_id, id);
