-- Up Migration

CREATE TABLE stores (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- home: the shard with the rows, chosen once by the weights of the shards; 1 without a cluster
  shard integer NOT NULL DEFAULT 1 CHECK (shard > 0),
  -- true: rows may be on any shard and are read from all
  everywhere boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE stores IS
  'Where the rows of a dataset are stored in ClickHouse. A clone has the store of its source, so both share rows; written by the API when a dataset is created, and when it grows beyond SPREAD_MIN_BYTES.';
CREATE INDEX stores_shard ON stores (shard) WHERE everywhere OR shard > 1;

CREATE TABLE slot_maps (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  store_id bigint NOT NULL REFERENCES stores ON DELETE CASCADE,
  pool text NOT NULL CHECK (pool IN ('narrow', 'medium', 'wide')),
  -- names of slots by names of stored columns; a slot is never removed
  slots jsonb NOT NULL
);
COMMENT ON TABLE slot_maps IS
  'Slot of a pool for each column of a store. A version lists only pool segments of one map together; written by workers.';
CREATE INDEX slot_maps_store ON slot_maps (store_id, id);

CREATE TABLE segments (
  id bigint PRIMARY KEY,
  store_id bigint NOT NULL REFERENCES stores,
  -- null: the segment is in the store's own table
  slot_map_id bigint REFERENCES slot_maps,
  -- no reference: a segment outlives its upload and its dataset
  process_id bigint NOT NULL,
  -- number of the upload that wrote the segment; of a compacted segment, that of the first one in its run
  upload_number bigint NOT NULL,
  -- null: not published yet
  rows bigint,
  bytes bigint,
  -- true: its rows replace or delete rows of segments before it
  patch boolean NOT NULL DEFAULT false,
  -- stored rows that it makes invisible: each replaced row, and for each deleted row that row and its tombstone
  hidden bigint NOT NULL DEFAULT 0,
  -- hash of the stored rows, recorded soon after publication and compared by later checks; null: not known yet, or the rows were written again
  hash text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- since when no version has the segment; its rows are kept for a while, for readers that began before. Null: a version has it
  unreferenced_at timestamptz
);
COMMENT ON TABLE segments IS
  'An immutable set of rows in ClickHouse. Its row is written before the first insert, by the API or a worker, so ClickHouse never has rows that are not known here.';
CREATE INDEX segments_store ON segments (store_id);
CREATE INDEX segments_own ON segments (store_id) WHERE slot_map_id IS NULL;
CREATE INDEX segments_slot_map ON segments (slot_map_id) WHERE slot_map_id IS NOT NULL;
CREATE INDEX segments_process ON segments (process_id);
-- For every look-up of a version, which needs the patches among its segments.
CREATE INDEX segments_patches ON segments (id) INCLUDE (rows, hidden) WHERE patch;
CREATE INDEX segments_unhashed ON segments (id) WHERE hash IS NULL AND rows > 0;
-- For the sweep, which drops segments that were never published and those that no version has any more.
CREATE INDEX segments_unpublished ON segments (id) WHERE rows IS NULL;
CREATE INDEX segments_unreferenced ON segments (unreferenced_at) WHERE unreferenced_at IS NOT NULL;

CREATE TABLE released_segments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  segment_id bigint NOT NULL
);
COMMENT ON TABLE released_segments IS
  'Queue of segments that a version has released, for the sweep; another version may still have them. Written by a trigger on segment_ranges.';

CREATE TABLE compactions (
  segment_id bigint PRIMARY KEY,
  store_id bigint NOT NULL REFERENCES stores ON DELETE CASCADE,
  -- swapping: the segment is complete, and versions are switched to it one after the other
  state text NOT NULL DEFAULT 'writing' CHECK (state IN ('writing', 'swapping', 'done', 'abandoned')),
  -- segments that it replaces, in upload order, and the upload number of each; without numbers only versions that have the
  -- whole run are switched
  run bigint[],
  upload_numbers bigint[],
  -- true: the patches of a version are folded into its bases. Older versions keep both, so the disk holds a copy more
  folds boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE compactions IS
  'A segment that replaces a run of segments, written by a worker before its first row in ClickHouse and never deleted before its store, so that no segment id is used twice.';
CREATE INDEX compactions_folds ON compactions (store_id, created_at) WHERE folds;
CREATE UNIQUE INDEX compactions_running ON compactions (store_id) WHERE state IN ('writing', 'swapping');
