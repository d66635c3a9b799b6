-- Up Migration

-- Names of accounts and teams that look alike count as one name. A skeleton (UTS #39) needs tables that PostgreSQL lacks,
-- so the process that gives a name computes it. Names given before get the skeleton of their ASCII characters; where two
-- of them look alike already, the id behind a character that no name has keeps them apart.
DROP TRIGGER accounts_name ON accounts;
DROP TRIGGER teams_name ON teams;
DROP FUNCTION claim_name();
ALTER TABLE names ADD COLUMN skeleton text, ADD COLUMN written_skeleton text;
UPDATE names SET skeleton = replace(translate(key, '01', 'ol'), 'm', 'rn');
UPDATE names n SET skeleton = n.skeleton || '#' || n.key
FROM names o WHERE o.skeleton = n.skeleton AND o.key < n.key;
UPDATE names SET written_skeleton = skeleton;
ALTER TABLE names ALTER COLUMN skeleton SET NOT NULL, ALTER COLUMN written_skeleton SET NOT NULL,
  ADD CONSTRAINT names_skeleton_key UNIQUE (skeleton),
  ADD CONSTRAINT names_written_skeleton_key UNIQUE (written_skeleton);

-- Down Migration

ALTER TABLE names DROP COLUMN skeleton, DROP COLUMN written_skeleton;

CREATE FUNCTION claim_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'accounts' THEN
    INSERT INTO names (key, account_id) VALUES (lower(NEW.name), NEW.id)
    ON CONFLICT (account_id) DO UPDATE SET key = excluded.key;
  ELSE
    INSERT INTO names (key, team_id) VALUES (lower(NEW.name), NEW.id)
    ON CONFLICT (team_id) DO UPDATE SET key = excluded.key;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER accounts_name AFTER INSERT OR UPDATE OF name ON accounts FOR EACH ROW EXECUTE FUNCTION claim_name();
CREATE TRIGGER teams_name AFTER INSERT OR UPDATE OF name ON teams FOR EACH ROW EXECUTE FUNCTION claim_name();
