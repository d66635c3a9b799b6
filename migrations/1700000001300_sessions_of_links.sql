-- Up Migration

-- Names a session where its token must not appear, such as in a signed link.
ALTER TABLE web_sessions ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY UNIQUE;

-- Down Migration

ALTER TABLE web_sessions DROP COLUMN id;
