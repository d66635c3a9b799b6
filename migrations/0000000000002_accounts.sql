-- Up Migration

CREATE TABLE plans (
  name text PRIMARY KEY,
  -- limits; null: without limit
  max_private_repositories bigint,
  max_stored_bytes bigint,
  max_dataset_rows bigint,
  max_columns bigint,
  max_upload_bytes bigint,
  max_exports_per_day bigint,
  max_export_bytes_per_day bigint,
  -- most versions of a dataset, and days before a replaced version is deleted
  max_versions bigint,
  max_version_days bigint,
  paid_providers boolean NOT NULL,
  private_home boolean NOT NULL,
  -- own: only versions of own datasets can be downloaded; all: every one that is readable
  downloads text NOT NULL CHECK (downloads IN ('own', 'all'))
);
COMMENT ON TABLE plans IS
  'Limits and rights of the accounts on a plan; three come with the schema, the others are written by the admin command.';

INSERT INTO plans (name, max_private_repositories, max_stored_bytes, max_dataset_rows, max_columns, max_upload_bytes,
  max_exports_per_day, max_export_bytes_per_day, max_versions, max_version_days, paid_providers, private_home, downloads)
VALUES
  ('unlimited', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, 'all'),
  ('free', 0, 1073741824, 5000000, 1000, 268435456, 200, 2147483648, 30, 365, false, true, 'all'),
  ('pro', 100, 1099511627776, NULL, NULL, 107374182400, 20000, 1099511627776, NULL, NULL, true, true, 'all');

CREATE TABLE teams (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE teams IS 'A group of accounts that owns repositories together; written by the API.';

CREATE TABLE accounts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  plan text NOT NULL REFERENCES plans,
  is_operator boolean NOT NULL DEFAULT false,
  -- team in which new repositories are created; null: the account itself. Ignored after the account has left the team.
  workspace_team_id bigint REFERENCES teams ON DELETE SET NULL,
  -- since when an operator has blocked every request of the account; null: not blocked
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE accounts IS 'A user or program that has keys, data and limits; written by the admin command and the API.';

CREATE TABLE names (
  -- the name in lower case
  key text PRIMARY KEY,
  account_id bigint UNIQUE REFERENCES accounts ON DELETE CASCADE,
  team_id bigint UNIQUE REFERENCES teams ON DELETE CASCADE,
  -- The name with each character replaced by the one it looks like (UTS #39), in lower case and as written. PostgreSQL
  -- lacks these tables, so the process that gives the name computes them.
  skeleton text NOT NULL UNIQUE,
  written_skeleton text NOT NULL UNIQUE,
  CHECK (num_nonnulls(account_id, team_id) = 1)
);
COMMENT ON TABLE names IS
  'The name of an account or team. Both share one set of names, regardless of case and of characters that look alike; written in the transaction of the account or team.';

CREATE TABLE api_keys (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL,
  prefix text NOT NULL,
  -- SHA-256 of the key. Keys are 256 random bits, so a slow hash would add nothing.
  hash bytea NOT NULL UNIQUE,
  read_only boolean NOT NULL DEFAULT false,
  -- null: every repository of the account
  repository_ids bigint[],
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
COMMENT ON TABLE api_keys IS 'An API key of an account, without the key itself; written by the API and the admin command.';
CREATE INDEX api_keys_account ON api_keys (account_id);

CREATE TABLE api_key_days (
  key_id bigint NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  -- UTC
  day date NOT NULL,
  requests bigint NOT NULL,
  PRIMARY KEY (key_id, day)
);
COMMENT ON TABLE api_key_days IS 'Number of requests with a key on a day; written by API processes.';
CREATE INDEX api_key_days_day ON api_key_days (day);

CREATE TABLE web_sessions (
  -- SHA-256 of the token in the cookie
  hash bytea PRIMARY KEY,
  -- names the session where its token must not appear, such as in a signed link
  id bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  key_id bigint NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
COMMENT ON TABLE web_sessions IS
  'A session of the web app. It has the rights of the key that it was opened with, and ends with it; written by the API.';
CREATE INDEX web_sessions_key ON web_sessions (key_id, created_at);
CREATE INDEX web_sessions_expires_at ON web_sessions (expires_at);

CREATE TABLE team_members (
  team_id bigint NOT NULL REFERENCES teams ON DELETE CASCADE,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('admin', 'member')),
  PRIMARY KEY (team_id, account_id)
);
COMMENT ON TABLE team_members IS 'An account that has accepted to be in a team; written by the API.';
CREATE INDEX team_members_account ON team_members (account_id);

CREATE TABLE team_invitations (
  team_id bigint NOT NULL REFERENCES teams ON DELETE CASCADE,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('admin', 'member')),
  invited_by bigint REFERENCES accounts ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team_id, account_id)
);
COMMENT ON TABLE team_invitations IS 'An invitation to a team without an answer yet; written by the API.';
CREATE INDEX team_invitations_account ON team_invitations (account_id);
CREATE INDEX team_invitations_invited_by ON team_invitations (invited_by);

CREATE TABLE export_usage (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- UTC
  day date NOT NULL,
  exports bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  -- the export that reached the quota of the day: it alone may be finished
  last_export uuid,
  PRIMARY KEY (account_id, day)
);
COMMENT ON TABLE export_usage IS
  'Exports and bytes that an account has downloaded on a day. The row lock makes the count exact under concurrent requests; written by the API.';

CREATE TABLE export_reads (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- fingerprint of the file
  file text NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (account_id, file)
);
COMMENT ON TABLE export_reads IS
  'A file that an account reads in ranges: all ranges until that time count as one export; written by the API.';
CREATE INDEX export_reads_until ON export_reads (until);

CREATE TABLE export_files (
  key text PRIMARY KEY,
  -- owner of the dataset that the file was created for
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  bytes bigint NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now(),
  used_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE export_files IS
  'A prepared file of a whole version, recorded to limit the bytes that such files use; written by the API.';
CREATE INDEX export_files_account ON export_files (account_id);
