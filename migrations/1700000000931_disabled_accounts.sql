-- Up Migration

-- Since when an operator has kept the account from doing anything; null: it may.
ALTER TABLE accounts ADD COLUMN disabled_at timestamptz;

-- Down Migration

ALTER TABLE accounts DROP COLUMN disabled_at;
