-- Up Migration

CREATE TABLE user_keys (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  provider text NOT NULL,
  -- master key that sealed it
  master_key_id text NOT NULL,
  -- nonce, ciphertext and tag of AES-256-GCM, bound to account and provider
  sealed bytea NOT NULL,
  -- keyed hash: tells which keys share the limits of one provider key without showing it
  fingerprint text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, provider)
);
COMMENT ON TABLE user_keys IS 'The key of an account for a provider, encrypted; written by the API and by `admin keys`.';
CREATE INDEX user_keys_master ON user_keys (master_key_id);

CREATE TABLE gateway_pace (
  -- provider and key: "bls/none", "fred/service", "fred/own:…"
  scope text PRIMARY KEY,
  -- when the next request may start
  next_at timestamptz NOT NULL
);
COMMENT ON TABLE gateway_pace IS
  'Pace of the requests to one provider with one key, written by API processes and workers. It is also the lock under which gateway_usage is read and written, so all of them share one limit.';

CREATE TABLE gateway_usage (
  scope text NOT NULL,
  span text NOT NULL CHECK (span IN ('minute', 'hour', 'day')),
  -- start of ten seconds, a minute, or a day of the provider's own zone
  bucket timestamptz NOT NULL,
  -- requester, for the fair share: an account, a client address, a task of the product
  account text NOT NULL,
  used integer NOT NULL,
  PRIMARY KEY (scope, span, bucket, account)
);
COMMENT ON TABLE gateway_usage IS
  'Requests sent to a provider with one key in one period for one requester; written by API processes and workers.';
CREATE INDEX gateway_usage_bucket ON gateway_usage (bucket);

CREATE TABLE gateway_holds (
  scope text PRIMARY KEY,
  provider text NOT NULL,
  since timestamptz NOT NULL,
  until timestamptz NOT NULL,
  -- holds in a row, for providers that do not say how long
  strikes integer NOT NULL DEFAULT 1,
  -- a probe, one request that finds out whether the hold is over, is under way; others wait until then
  trying_until timestamptz
);
COMMENT ON TABLE gateway_holds IS
  'Backoff: a provider refuses requests with one key until a time; written by the process that was refused, and deleted when a later request succeeds.';

CREATE TABLE gateway_cache (
  -- SHA-256 of provider, operation, arguments and the kind of key
  key bytea PRIMARY KEY,
  provider text NOT NULL,
  body text NOT NULL,
  bytes integer NOT NULL,
  stored_at timestamptz NOT NULL,
  fresh_until timestamptz NOT NULL,
  used_at timestamptz NOT NULL
);
COMMENT ON TABLE gateway_cache IS 'An answer of a provider; written by the process that sent the request. Backups leave it out.';
CREATE INDEX gateway_cache_used ON gateway_cache (used_at);

CREATE TABLE gateway_items (
  provider text NOT NULL,
  id text NOT NULL,
  label text NOT NULL,
  description text,
  kind text NOT NULL CHECK (kind IN ('series', 'folder')),
  path text[],
  frequency text,
  units text,
  -- part of the bundled list: known before the first request to the provider, and never swept
  popular boolean NOT NULL DEFAULT false,
  -- the filling that saw it last
  generation bigint NOT NULL,
  -- Words as the gateway splits them: the parser of PostgreSQL takes `dollar/Euro` for a file and `U.S.` for a host.
  id_words text NOT NULL DEFAULT '',
  label_words text NOT NULL DEFAULT '',
  description_words text,
  words tsvector NOT NULL GENERATED ALWAYS AS (
    setweight(to_tsvector('simple', id_words), 'A')
    || setweight(to_tsvector('english', label_words), 'A')
    || setweight(to_tsvector('simple', label_words), 'B')
    || setweight(to_tsvector('english', coalesce(description_words, '')), 'D')
  ) STORED,
  PRIMARY KEY (provider, id)
);
COMMENT ON TABLE gateway_items IS 'A series or folder of a provider that the search finds; written by the worker that fills the index.';
CREATE INDEX gateway_items_words ON gateway_items USING gin (words);
CREATE INDEX gateway_items_id ON gateway_items (lower(id) text_pattern_ops);
CREATE INDEX gateway_items_popular ON gateway_items (provider) WHERE popular;

CREATE TABLE gateway_words (
  word text PRIMARY KEY
);
COMMENT ON TABLE gateway_words IS
  'A word of a label or id in gateway_items, for queries with typing errors; written with the items and never deleted, since a surplus word costs a search without hits.';
CREATE INDEX gateway_words_alike ON gateway_words USING gin (word gin_trgm_ops);

CREATE TABLE gateway_fillings (
  provider text PRIMARY KEY,
  generation bigint NOT NULL DEFAULT 0,
  items integer NOT NULL DEFAULT 0,
  filled_at timestamptz,
  -- when the next filling is due; later after a failure
  due_at timestamptz NOT NULL DEFAULT '-infinity',
  failures integer NOT NULL DEFAULT 0,
  -- parts of the last listing (a table, a page) that could not be read, and the error of the last of them or of the whole
  failed_parts integer NOT NULL DEFAULT 0,
  last_error text
);
COMMENT ON TABLE gateway_fillings IS 'State of the search index of a provider; written by the worker that fills it.';

CREATE TABLE series_datasets (
  dataset_id bigint PRIMARY KEY REFERENCES datasets ON DELETE CASCADE,
  -- account of the requests to the provider and of the uploads
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  provider text NOT NULL,
  -- [{name, id, params}]; name: value of the column Series
  series jsonb NOT NULL,
  -- the dataset has a column for the flags of the observations
  with_flags boolean NOT NULL DEFAULT false,
  -- the one id and its parameters name several series
  is_panel boolean NOT NULL DEFAULT false,
  -- Answer of the provider at the last refresh, one entry for each of series in their order:
  -- {name, provider, seriesId, params, label, unit, unitMultiplier, source, license, attribution, flags}.
  described jsonb NOT NULL,
  -- "daily", "weekly" or five fields of cron in UTC; null: only on request
  schedule text,
  next_run_at timestamptz,
  last_run_at timestamptz,
  last_error text,
  -- failed runs since the last good one, and the time of the first of them
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  -- SHA-256 of the last upload, and its process: the same data makes no new version
  content_hash bytea,
  -- last change of each series as the provider said before the last upload; empty: unknown
  update_marks text[] NOT NULL DEFAULT '{}',
  process_id bigint
);
COMMENT ON TABLE series_datasets IS
  'A dataset that is kept up to date with series of a provider, and its schedule; written by the API and by the worker that refreshes it.';
CREATE INDEX series_datasets_due ON series_datasets (next_run_at) WHERE next_run_at IS NOT NULL;

CREATE TABLE series_backfills (
  dataset_id bigint PRIMARY KEY REFERENCES series_datasets ON DELETE CASCADE,
  -- YYYY-MM-DD, oldest first, and the ids that were reserved for their versions
  days text[] NOT NULL,
  version_ids bigint[] NOT NULL,
  -- vintages that the provider had
  total integer NOT NULL,
  -- versions that were published
  done integer NOT NULL DEFAULT 0,
  -- vintages that retention would delete at once
  skipped integer NOT NULL DEFAULT 0,
  error text,
  -- failed steps in a row
  failures integer NOT NULL DEFAULT 0,
  -- null: it has ended
  next_at timestamptz
);
COMMENT ON TABLE series_backfills IS
  'Vintages of a provider that are loaded into a series dataset as earlier versions; written by the API that starts it and by the worker that does it.';
CREATE INDEX series_backfills_due ON series_backfills (next_at) WHERE next_at IS NOT NULL;
