-- Up Migration

-- Who is signed in to the web app. A session acts as the key that it was made from, and ends with it.
CREATE TABLE web_sessions (
  -- SHA-256 of what the cookie holds
  hash bytea PRIMARY KEY,
  key_id bigint NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX web_sessions_key ON web_sessions (key_id, created_at);
CREATE INDEX web_sessions_expires_at ON web_sessions (expires_at);

-- Down Migration

DROP TABLE web_sessions;
