-- Up Migration

-- Repositories that an account was offered and has not taken yet. Nobody owns what they have not agreed to.
CREATE TABLE repository_transfers (
  repository_id bigint PRIMARY KEY REFERENCES repositories ON DELETE CASCADE,
  offered_by bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX repository_transfers_account ON repository_transfers (account_id);
CREATE INDEX repository_transfers_offered_by ON repository_transfers (offered_by);

-- Down Migration

DROP TABLE repository_transfers;
