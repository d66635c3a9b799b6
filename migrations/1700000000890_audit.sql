-- Up Migration

-- Who did what, when, from where. Rows name accounts and things by id and by the name they had: both may be gone later.
CREATE TABLE audit_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  -- account: over HTTP with a key; command: by somebody with access to the machine; service: by the product itself
  actor text NOT NULL CHECK (actor IN ('account', 'command', 'service')),
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
CREATE INDEX audit_events_at ON audit_events (at);
CREATE INDEX audit_events_account ON audit_events (account_id, id);
CREATE INDEX audit_events_action ON audit_events (action, id);
CREATE INDEX audit_events_target ON audit_events (target_kind, target_id, id);

-- Requests of each key by day (UTC).
CREATE TABLE api_key_days (
  key_id bigint NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  day date NOT NULL,
  requests bigint NOT NULL,
  PRIMARY KEY (key_id, day)
);
CREATE INDEX api_key_days_day ON api_key_days (day);

-- Down Migration

DROP TABLE api_key_days;
DROP TABLE audit_events;
