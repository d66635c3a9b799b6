-- Up Migration

ALTER TABLE versions ADD COLUMN repairs integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN versions.repairs IS
  'How often a repair has written rows of the version again, because ClickHouse had lost or altered them; part of the name or tag of all that is made from the rows.';
ALTER TABLE version_summaries ADD COLUMN repairs integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN version_summaries.repairs IS 'Repairs of the version before the summary; out of date if it has more.';
