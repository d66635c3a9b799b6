-- Up Migration

CREATE TABLE repositories (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  description text,
  privacy text NOT NULL CHECK (privacy IN ('Public', 'Private')),
  -- owner; null: the account that created it
  team_id bigint REFERENCES teams ON DELETE SET NULL,
  created_by bigint NOT NULL REFERENCES accounts,
  is_home boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE repositories IS 'A collection of datasets with one owner and common permissions; written by the API.';
CREATE UNIQUE INDEX repositories_home ON repositories (created_by) WHERE is_home;
CREATE INDEX repositories_created_by ON repositories (created_by);
CREATE INDEX repositories_team ON repositories (team_id);
CREATE INDEX repositories_public ON repositories (id) WHERE privacy = 'Public';

CREATE TABLE repository_grants (
  repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
  account_id bigint REFERENCES accounts ON DELETE CASCADE,
  team_id bigint REFERENCES teams ON DELETE CASCADE,
  level text NOT NULL CHECK (level IN ('Owner', 'Admin', 'Write', 'Clone', 'Read')),
  CHECK (num_nonnulls(account_id, team_id) = 1),
  UNIQUE NULLS NOT DISTINCT (repository_id, account_id, team_id)
);
COMMENT ON TABLE repository_grants IS 'Permission of an account or team in a repository; written by the API.';
CREATE INDEX repository_grants_account ON repository_grants (account_id);
CREATE INDEX repository_grants_team ON repository_grants (team_id);

CREATE TABLE repository_transfers (
  repository_id bigint PRIMARY KEY REFERENCES repositories ON DELETE CASCADE,
  offered_by bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE repository_transfers IS
  'A repository that was offered to an account, which has not accepted it yet; written by the API.';
CREATE INDEX repository_transfers_account ON repository_transfers (account_id);
CREATE INDEX repository_transfers_offered_by ON repository_transfers (offered_by);

CREATE TABLE datasets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
  store_id bigint NOT NULL REFERENCES stores,
  name text NOT NULL,
  description text,
  source_name text,
  source_url text,
  created_by bigint NOT NULL REFERENCES accounts,
  -- Uploads and column merges that were accepted: the number of the last one. A clone starts with the count of its source.
  upload_count bigint NOT NULL DEFAULT 0,
  -- null: nothing was published yet
  current_version_id bigint,
  -- when the first version was published, even if it was deleted since; null: there was none
  first_version_at timestamptz,
  -- Grows with every change of the name or role of a column. Whatever is derived from a version and shows names depends
  -- on both.
  columns_revision integer NOT NULL DEFAULT 0,
  -- retention of versions other than the current one and pinned ones; null: all that the plan allows
  keep_versions integer CHECK (keep_versions >= 1),
  keep_days integer CHECK (keep_days >= 1),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT datasets_name UNIQUE (repository_id, name)
);
COMMENT ON TABLE datasets IS
  'A table of a repository with all of its versions; written by the API, and by workers when they publish a version.';
CREATE INDEX datasets_store ON datasets (store_id);
CREATE INDEX datasets_current ON datasets (current_version_id) WHERE current_version_id IS NOT NULL;

CREATE TABLE dataset_grants (
  dataset_id bigint NOT NULL REFERENCES datasets ON DELETE CASCADE,
  account_id bigint REFERENCES accounts ON DELETE CASCADE,
  team_id bigint REFERENCES teams ON DELETE CASCADE,
  level text NOT NULL CHECK (level IN ('Clone', 'Read')),
  CHECK (num_nonnulls(account_id, team_id) = 1),
  UNIQUE NULLS NOT DISTINCT (dataset_id, account_id, team_id)
);
COMMENT ON TABLE dataset_grants IS 'Permission of an account or team for one dataset; written by the API.';
CREATE INDEX dataset_grants_account ON dataset_grants (account_id);
CREATE INDEX dataset_grants_team ON dataset_grants (team_id);

CREATE TABLE read_links (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  dataset_id bigint NOT NULL REFERENCES datasets ON DELETE CASCADE,
  -- the key that it was made with, where that is limited to some repositories: the link has its limits and ends with it
  key_id bigint REFERENCES api_keys ON DELETE CASCADE,
  name text NOT NULL,
  prefix text NOT NULL,
  -- SHA-256 of the token in the address: 256 random bits
  hash bytea NOT NULL UNIQUE,
  -- options of the download as JSON; not jsonb, which refuses some texts
  query text NOT NULL,
  -- how the answer is drawn, as JSON; null: it is rows
  chart text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- null: never
  expires_at timestamptz,
  -- null: only the quotas of the account apply
  max_bytes_per_day bigint CHECK (max_bytes_per_day > 0),
  last_used_at timestamptz,
  -- answers with rows, and their bytes
  reads bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  -- the day (UTC) of the last answer, and the bytes of that day
  day date,
  day_bytes bigint NOT NULL DEFAULT 0,
  -- the answer that reached the quota of the day: it alone may be finished
  last_read uuid
);
COMMENT ON TABLE read_links IS
  'A permanent address that answers one saved question, with the rights of the account that made it; written by the API.';
CREATE INDEX read_links_account ON read_links (account_id);
CREATE INDEX read_links_dataset ON read_links (dataset_id);
CREATE INDEX read_links_key ON read_links (key_id);

CREATE TABLE columns (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dataset_id bigint NOT NULL REFERENCES datasets ON DELETE CASCADE,
  name text NOT NULL,
  description text,
  -- set by a user; null: the type decides
  is_entity boolean,
  -- number in the name of the stored column; null: id
  storage_id bigint,
  CONSTRAINT columns_name UNIQUE (dataset_id, name)
);
COMMENT ON TABLE columns IS
  'A column name that some version of a dataset has or had: the same name keeps the same id for ever; written by workers and by the API when a user edits it.';
-- A search finds columns by words of their names.
CREATE INDEX columns_words ON columns USING gin (to_tsvector('simple', name));
