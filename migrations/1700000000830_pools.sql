-- Up Migration

-- Which column of a store lies in which slot of a pool. Segments with the same map can be listed by one version.
CREATE TABLE slot_maps (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  store_id bigint NOT NULL REFERENCES stores ON DELETE CASCADE,
  pool text NOT NULL CHECK (pool IN ('narrow', 'medium', 'wide')),
  -- names of slots by names of stored columns; slots are added, never taken away
  slots jsonb NOT NULL
);
CREATE INDEX slot_maps_store ON slot_maps (store_id, id);

-- Null: the segment lies in the table of its store.
ALTER TABLE segments ADD COLUMN slot_map_id bigint REFERENCES slot_maps;
CREATE INDEX segments_slot_map ON segments (slot_map_id) WHERE slot_map_id IS NOT NULL;

-- Since when no segment lies in the store's table; readers that began before may still be at it. Null: some do, or
-- there is no table.
ALTER TABLE stores ADD COLUMN emptied_at timestamptz;
CREATE INDEX stores_emptied ON stores (emptied_at) WHERE emptied_at IS NOT NULL;

-- Down Migration

DO $$ BEGIN
  IF EXISTS (SELECT 1 FROM segments WHERE slot_map_id IS NOT NULL) THEN
    RAISE EXCEPTION 'rows of segments lie in pools; an earlier build cannot read them';
  END IF;
END $$;
DROP INDEX stores_emptied;
ALTER TABLE stores DROP COLUMN emptied_at;
DROP INDEX segments_slot_map;
ALTER TABLE segments DROP COLUMN slot_map_id;
DROP TABLE slot_maps;
