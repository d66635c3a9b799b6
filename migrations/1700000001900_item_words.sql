-- Up Migration

-- Words as the gateway splits them: the parser of PostgreSQL reads `dollar/Euro` as a file and `U.S.` as a host.
-- The rows are split roughly here, so that they are found at once, and exactly by the filling that is due below.
ALTER TABLE gateway_items
  ADD COLUMN id_words text NOT NULL DEFAULT '',
  ADD COLUMN label_words text NOT NULL DEFAULT '',
  ADD COLUMN description_words text;

UPDATE gateway_items SET
  id_words = regexp_replace(lower(id), '[!-/:-@[-`{-~]+', ' ', 'g'),
  label_words = regexp_replace(lower(label), '[!-/:-@[-`{-~]+', ' ', 'g'),
  description_words = regexp_replace(lower(left(description, 2000)), '[!-/:-@[-`{-~]+', ' ', 'g');

ALTER TABLE gateway_items DROP COLUMN words;
ALTER TABLE gateway_items ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (
  setweight(to_tsvector('simple', id_words), 'A')
  || setweight(to_tsvector('english', label_words), 'A')
  || setweight(to_tsvector('simple', label_words), 'B')
  || setweight(to_tsvector('english', coalesce(description_words, '')), 'D')
) STORED;
CREATE INDEX gateway_items_words ON gateway_items USING gin (words);

UPDATE gateway_fillings SET due_at = '-infinity';

-- Down Migration

ALTER TABLE gateway_items DROP COLUMN words;
ALTER TABLE gateway_items DROP COLUMN id_words, DROP COLUMN label_words, DROP COLUMN description_words;
ALTER TABLE gateway_items ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (
  setweight(to_tsvector('simple', replace(id, '_', ' ')), 'A')
  || setweight(to_tsvector('english', label), 'A')
  || setweight(to_tsvector('simple', label), 'B')
  || setweight(to_tsvector('english', left(coalesce(description, ''), 2000)), 'D')
) STORED;
CREATE INDEX gateway_items_words ON gateway_items USING gin (words);
