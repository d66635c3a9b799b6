-- Up Migration

-- A deleted account is looked up in every table that refers to it, and so is a deleted team, repository and dataset.
CREATE INDEX accounts_workspace_team ON accounts (workspace_team_id) WHERE workspace_team_id IS NOT NULL;
CREATE INDEX datasets_created_by ON datasets (created_by);
CREATE INDEX series_datasets_account ON series_datasets (account_id);
