-- Up Migration

CREATE TABLE stores (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Home: the shard that has the rows. Chosen once, by the weights of the shards. Without a cluster there is the first alone.
  shard integer NOT NULL DEFAULT 1 CHECK (shard > 0),
  -- true: rows may be on any shard, and are read on all
  everywhere boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE stores IS
  'Place of the rows of a dataset in ClickHouse. A clone has the store of its source, so both share rows; written by the API when a dataset is created, and when it grows beyond SPREAD_MIN_BYTES.';
CREATE INDEX stores_shard ON stores (shard) WHERE everywhere OR shard > 1;

CREATE TABLE slot_maps (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  store_id bigint NOT NULL REFERENCES stores ON DELETE CASCADE,
  pool text NOT NULL CHECK (pool IN ('narrow', 'medium', 'wide')),
  -- names of slots by names of stored columns; slots are added, never removed
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
  -- that of the upload that wrote it; of a joined segment, that of the first of its run
  upload_number bigint NOT NULL,
  -- null: not published
  rows bigint,
  bytes bigint,
  -- true: some of its rows replace or delete rows of segments that a version lists before it
  patch boolean NOT NULL DEFAULT false,
  -- stored rows that it makes invisible: replaced ones, and for each deleted row that row and its tombstone
  hidden bigint NOT NULL DEFAULT 0,
  -- hash of the stored rows, recorded soon after publication; later checks compare with it. A move clears it. Null: not known
  hash text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- since when no version has the segment; its rows are kept for a while for readers that began before
  unnamed_at timestamptz
);
COMMENT ON TABLE segments IS
  'An immutable set of rows in ClickHouse. Its row is written before the first insert, by the API or a worker, so ClickHouse never has rows that are not known here.';
CREATE INDEX segments_store ON segments (store_id);
CREATE INDEX segments_own ON segments (store_id) WHERE slot_map_id IS NULL;
CREATE INDEX segments_slot_map ON segments (slot_map_id) WHERE slot_map_id IS NOT NULL;
CREATE INDEX segments_process ON segments (process_id);
-- Every look-up of a version asks which of its segments are patches.
CREATE INDEX segments_patches ON segments (id) INCLUDE (rows, hidden) WHERE patch;
CREATE INDEX segments_unhashed ON segments (id) WHERE hash IS NULL AND rows > 0;
-- The sweep drops segments that were never published, and those that no version has any more.
CREATE INDEX segments_unpublished ON segments (id) WHERE rows IS NULL;
CREATE INDEX segments_unnamed ON segments (unnamed_at) WHERE unnamed_at IS NOT NULL;

CREATE TABLE unlisted_segments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  segment_id bigint NOT NULL
);
COMMENT ON TABLE unlisted_segments IS
  'A segment that a version has released, queued by a trigger on segment_ranges: the sweep looks at these alone. Another version may still have it.';

CREATE TABLE compactions (
  segment_id bigint PRIMARY KEY,
  store_id bigint NOT NULL REFERENCES stores ON DELETE CASCADE,
  -- swapping: the segment is complete, and versions are switched to it one after the other
  state text NOT NULL DEFAULT 'writing' CHECK (state IN ('writing', 'swapping', 'done', 'abandoned')),
  -- segments that it replaces, in upload order, and the upload number of each; without numbers only versions that have the
  -- whole run are switched
  run bigint[],
  upload_numbers bigint[],
  -- renewed by the worker that writes; another worker may abandon the compaction afterwards
  lease_until timestamptz NOT NULL,
  -- true: it folds the patches of a version into its bases. Older versions keep both, so it takes the room of a copy
  folds boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE compactions IS
  'A segment that replaces a run of segments, written by a worker before its first row in ClickHouse and never deleted before its store, so that no segment id is used twice.';
CREATE INDEX compactions_folds ON compactions (store_id, created_at) WHERE folds;
CREATE UNIQUE INDEX compactions_running ON compactions (store_id) WHERE state IN ('writing', 'swapping');
