-- Up Migration

-- Who asks an upstream a question that others may be asking too. Unlogged: after a crash nobody is asking.
CREATE UNLOGGED TABLE gateway_turns (
  key bytea PRIMARY KEY,
  owner uuid NOT NULL,
  -- a process that dies while asking leaves its turn to others then
  until timestamptz NOT NULL
);

-- Down Migration

DROP TABLE gateway_turns;
