-- Up Migration

-- The server of a cluster that has the rows of a store: its table and its segments in pools. Null: they are spread over all
-- of them. Without a cluster there is the first alone.
ALTER TABLE stores ADD COLUMN shard integer DEFAULT 1 CHECK (shard > 0);
CREATE INDEX stores_shard ON stores (shard) WHERE shard IS NULL OR shard > 1;

-- Where its rows lay before they were moved, for readers that began before.
ALTER TABLE stores ADD COLUMN left_shard integer CHECK (left_shard > 0);
ALTER TABLE stores ADD COLUMN left_at timestamptz;
CREATE INDEX stores_left ON stores (left_at) WHERE left_at IS NOT NULL;

-- Down Migration

DO $$ BEGIN
  IF EXISTS (SELECT 1 FROM stores WHERE shard IS DISTINCT FROM 1) THEN
    RAISE EXCEPTION 'rows of stores lie on other shards than the first; an earlier build cannot read them';
  END IF;
END $$;
DROP INDEX stores_left;
ALTER TABLE stores DROP COLUMN left_at;
ALTER TABLE stores DROP COLUMN left_shard;
DROP INDEX stores_shard;
ALTER TABLE stores DROP COLUMN shard;
