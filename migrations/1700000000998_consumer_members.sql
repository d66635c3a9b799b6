-- Up Migration

-- Members of consumer groups by the worker that they belong to. Of no use after a crash or in a backup: the workers write it anew.
CREATE UNLOGGED TABLE consumer_members (
  member_id text PRIMARY KEY,
  group_id text NOT NULL,
  worker uuid NOT NULL,
  -- Host and port of the worker: who listens there has taken the place of whoever did before.
  address text NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now()
);

-- Down Migration

DROP TABLE consumer_members;
