-- Up Migration

-- The number in the names of a store's tables; null: its id. It changes when a spread store leaves a shard: its rows are put
-- together in tables of another number, and one transaction names those.
ALTER TABLE stores ADD COLUMN table_id bigint;
-- The tables that are being filled, so that a command which was killed goes on where it was.
ALTER TABLE stores ADD COLUMN next_table bigint;
-- The tables of before, for readers that began before.
ALTER TABLE stores ADD COLUMN left_table bigint;
CREATE INDEX stores_table ON stores ((coalesce(table_id, id)));

-- Shards that were being emptied when the segment was begun: none of its chunks goes there. Null: none.
ALTER TABLE segments ADD COLUMN closed_shards integer[];

-- Down Migration

DO $$ BEGIN
  IF EXISTS (SELECT 1 FROM stores WHERE table_id IS NOT NULL) THEN
    RAISE EXCEPTION 'spread datasets were moved off a shard; an earlier build does not find their tables';
  END IF;
END $$;
ALTER TABLE segments DROP COLUMN closed_shards;
DROP INDEX stores_table;
ALTER TABLE stores DROP COLUMN left_table;
ALTER TABLE stores DROP COLUMN next_table;
ALTER TABLE stores DROP COLUMN table_id;
