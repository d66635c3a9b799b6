-- Up Migration

CREATE TABLE settings (
  name text PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE plans (
  name text PRIMARY KEY,
  -- null means without limit
  max_private_repositories bigint,
  max_stored_bytes bigint,
  max_dataset_rows bigint,
  max_columns bigint,
  max_upload_bytes bigint,
  max_exports_per_day bigint,
  max_export_bytes_per_day bigint,
  paid_providers boolean NOT NULL,
  private_home boolean NOT NULL,
  downloads text NOT NULL CHECK (downloads IN ('own', 'all'))
);

INSERT INTO plans VALUES
  ('unlimited', NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, true, 'all'),
  ('free', 0, 1073741824, 5000000, 1000, 268435456, 200, 2147483648, false, true, 'all'),
  ('pro', 100, 1099511627776, NULL, NULL, 107374182400, 20000, 1099511627776, true, true, 'all');

CREATE TABLE accounts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  plan text NOT NULL REFERENCES plans,
  is_operator boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE api_keys (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL,
  prefix text NOT NULL,
  -- SHA-256 of the key: keys are 256 random bits, a slow hash would add nothing
  hash bytea NOT NULL UNIQUE,
  read_only boolean NOT NULL DEFAULT false,
  -- null: every repository of the account
  repository_ids bigint[],
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX api_keys_account ON api_keys (account_id);

CREATE TABLE teams (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- The active workspace: null is the personal one. Counts only while the account is in the team.
ALTER TABLE accounts ADD COLUMN workspace_team_id bigint REFERENCES teams ON DELETE SET NULL;

-- Accounts and teams share one set of names, regardless of case: a grant names either of them.
CREATE TABLE names (
  key text PRIMARY KEY,
  account_id bigint UNIQUE REFERENCES accounts ON DELETE CASCADE,
  team_id bigint UNIQUE REFERENCES teams ON DELETE CASCADE,
  CHECK (num_nonnulls(account_id, team_id) = 1)
);

CREATE FUNCTION claim_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'accounts' THEN
    INSERT INTO names (key, account_id) VALUES (lower(NEW.name), NEW.id)
    ON CONFLICT (account_id) DO UPDATE SET key = excluded.key;
  ELSE
    INSERT INTO names (key, team_id) VALUES (lower(NEW.name), NEW.id)
    ON CONFLICT (team_id) DO UPDATE SET key = excluded.key;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER accounts_name AFTER INSERT OR UPDATE OF name ON accounts FOR EACH ROW EXECUTE FUNCTION claim_name();
CREATE TRIGGER teams_name AFTER INSERT OR UPDATE OF name ON teams FOR EACH ROW EXECUTE FUNCTION claim_name();

-- What an account has taken out on a day (UTC); the row counts exactly, also under concurrent requests.
CREATE TABLE export_usage (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  day date NOT NULL,
  exports bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, day)
);

CREATE TABLE team_members (
  team_id bigint NOT NULL REFERENCES teams ON DELETE CASCADE,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('admin', 'member')),
  PRIMARY KEY (team_id, account_id)
);
CREATE INDEX team_members_account ON team_members (account_id);

CREATE TABLE repositories (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  description text,
  privacy text NOT NULL CHECK (privacy IN ('Public', 'Private')),
  team_id bigint REFERENCES teams ON DELETE SET NULL,
  created_by bigint NOT NULL REFERENCES accounts,
  is_home boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
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
CREATE INDEX repository_grants_account ON repository_grants (account_id);
CREATE INDEX repository_grants_team ON repository_grants (team_id);

-- One ClickHouse table. A dataset and its clones share one, so that a clone shares rows.
CREATE TABLE stores (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE datasets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  repository_id bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
  store_id bigint NOT NULL REFERENCES stores,
  name text NOT NULL,
  description text,
  source_name text,
  source_url text,
  created_by bigint NOT NULL REFERENCES accounts,
  current_version_id bigint,
  -- grows with every change of the name or role of a column: what is derived from a version and shows names
  -- depends on both
  columns_revision integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT datasets_name UNIQUE (repository_id, name)
);
CREATE INDEX datasets_store ON datasets (store_id);

CREATE TABLE dataset_grants (
  dataset_id bigint NOT NULL REFERENCES datasets ON DELETE CASCADE,
  account_id bigint REFERENCES accounts ON DELETE CASCADE,
  team_id bigint REFERENCES teams ON DELETE CASCADE,
  level text NOT NULL CHECK (level IN ('Clone', 'Read')),
  CHECK (num_nonnulls(account_id, team_id) = 1),
  UNIQUE NULLS NOT DISTINCT (dataset_id, account_id, team_id)
);
CREATE INDEX dataset_grants_account ON dataset_grants (account_id);
CREATE INDEX dataset_grants_team ON dataset_grants (team_id);

-- Registry of column ids: the same name in the same dataset is the same id, for ever.
CREATE TABLE columns (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dataset_id bigint NOT NULL REFERENCES datasets ON DELETE CASCADE,
  name text NOT NULL,
  description text,
  -- set by hand; null: as the type decides
  is_entity boolean,
  -- the id under which the values lie in the store; null means id
  storage_id bigint,
  CONSTRAINT columns_name UNIQUE (dataset_id, name)
);

-- Down Migration

DROP TABLE columns, dataset_grants, datasets, stores, repository_grants, repositories, team_members, export_usage,
  names, teams, api_keys, accounts, plans, settings CASCADE;
DROP FUNCTION claim_name();
