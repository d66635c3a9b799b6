-- Up Migration

-- For a search that finds columns by words of their names.
CREATE INDEX columns_words ON columns USING gin (to_tsvector('simple', name));

-- Down Migration

DROP INDEX columns_words;
