-- Up Migration

-- The shards that are being emptied. Volatile, so that it sees what was committed while its statement waited for a lock.
CREATE FUNCTION draining_shards() RETURNS integer[] LANGUAGE sql VOLATILE AS
  $$ SELECT string_to_array(value, ',')::integer[] FROM settings WHERE name = 'draining_shards' $$;

-- Down Migration

DROP FUNCTION draining_shards();
