-- Up Migration

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- One row per upstream and key ("bls/none", "fred/service", "fred/own:…"). It is also the lock under which the
-- usage below is read and written, so several API processes count as one.
CREATE TABLE gateway_pace (
  scope text PRIMARY KEY,
  -- when the next request may start
  next_at timestamptz NOT NULL
);

-- Requests sent, in buckets: ten seconds, a minute, or a day of the upstream's own zone.
CREATE TABLE gateway_usage (
  scope text NOT NULL,
  span text NOT NULL CHECK (span IN ('minute', 'hour', 'day')),
  bucket timestamptz NOT NULL,
  -- who asked, for the fair share: an account, an address, a task of our own
  account text NOT NULL,
  used integer NOT NULL,
  PRIMARY KEY (scope, span, bucket, account)
);
CREATE INDEX gateway_usage_bucket ON gateway_usage (bucket);

CREATE TABLE gateway_cache (
  -- SHA-256 of provider, operation, arguments and whose key was used
  key bytea PRIMARY KEY,
  provider text NOT NULL,
  body text NOT NULL,
  bytes integer NOT NULL,
  stored_at timestamptz NOT NULL,
  fresh_until timestamptz NOT NULL,
  used_at timestamptz NOT NULL
);
CREATE INDEX gateway_cache_used ON gateway_cache (used_at);

CREATE TABLE user_keys (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  provider text NOT NULL,
  -- which master key sealed it
  master_key_id text NOT NULL,
  -- nonce, ciphertext and tag of AES-256-GCM, bound to account and provider
  sealed bytea NOT NULL,
  -- keyed hash: tells which limits the key shares, not what it is
  fingerprint text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, provider)
);
CREATE INDEX user_keys_master ON user_keys (master_key_id);

CREATE TABLE gateway_items (
  provider text NOT NULL,
  id text NOT NULL,
  label text NOT NULL,
  description text,
  kind text NOT NULL CHECK (kind IN ('series', 'folder')),
  path text[],
  frequency text,
  units text,
  -- part of the bundled list: there before the upstream was ever asked, and never swept
  popular boolean NOT NULL DEFAULT false,
  -- the filling that last saw it
  generation bigint NOT NULL,
  words tsvector NOT NULL GENERATED ALWAYS AS (
    setweight(to_tsvector('simple', replace(id, '_', ' ')), 'A')
    || setweight(to_tsvector('english', label), 'A')
    || setweight(to_tsvector('simple', label), 'B')
    || setweight(to_tsvector('english', left(coalesce(description, ''), 2000)), 'D')
  ) STORED,
  PRIMARY KEY (provider, id)
);
CREATE INDEX gateway_items_words ON gateway_items USING gin (words);
CREATE INDEX gateway_items_id ON gateway_items (lower(id) text_pattern_ops);

-- Every word that stands in a label or an id, for queries with typing errors. Words are never removed: one too
-- many costs a search without hits.
CREATE TABLE gateway_words (
  word text PRIMARY KEY
);
CREATE INDEX gateway_words_alike ON gateway_words USING gin (word gin_trgm_ops);

CREATE TABLE gateway_fillings (
  provider text PRIMARY KEY,
  generation bigint NOT NULL DEFAULT 0,
  items integer NOT NULL DEFAULT 0,
  filled_at timestamptz,
  -- when the next filling is due; moved back after a failure
  due_at timestamptz NOT NULL DEFAULT '-infinity',
  failures integer NOT NULL DEFAULT 0
);

-- Down Migration

DROP TABLE gateway_fillings;
DROP TABLE gateway_words;
DROP TABLE gateway_items;
DROP TABLE user_keys;
DROP TABLE gateway_cache;
DROP TABLE gateway_usage;
DROP TABLE gateway_pace;
