-- Up Migration

-- Who was asked to join a team and has not answered yet. Members are only those who accepted.
CREATE TABLE team_invitations (
  team_id bigint NOT NULL REFERENCES teams ON DELETE CASCADE,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('admin', 'member')),
  invited_by bigint REFERENCES accounts ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team_id, account_id)
);
CREATE INDEX team_invitations_account ON team_invitations (account_id);
CREATE INDEX team_invitations_invited_by ON team_invitations (invited_by);

-- Down Migration

DROP TABLE team_invitations;
