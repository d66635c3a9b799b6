CREATE DATABASE IF NOT EXISTS rows
  -- {}
CREATE TABLE IF NOT EXISTS rows.installation (id String) ENGINE = SharedMergeTree ORDER BY id
  -- {"max_query_size":"16777216","alter_sync":"3","mutations_sync":"3","lightweight_deletes_sync":"3"}
CREATE TABLE IF NOT EXISTS rows.pool_narrow (_seg UInt64 CODEC(T64, LZ4), _row UInt64 CODEC(Delta, LZ4), d0 Nullable(Date32), d1 Nullable(Date32), s0 Nullable(String), s1 Nullable(String), s2 Nullable(String), s3 Nullable(String), s4 Nullable(String), f0 Nullable(Float64), f1 Nullable(Float64), f2 Nullable(Float64), f3 Nullable(Float64), f4 Nullable(Float64), f5 Nullable(Float64), i0 Nullable(Int128), i1 Nullable(Int128)) ENGINE = SharedMergeTree PARTITION BY intDiv(_seg, 64000) % 16 ORDER BY (_seg, _row) SETTINGS replicated_deduplication_window = 100000, old_parts_lifetime = 120, auto_statistics_types = ''
  -- {"max_query_size":"16777216","alter_sync":"3","mutations_sync":"3","lightweight_deletes_sync":"3"}
CREATE TABLE IF NOT EXISTS rows.s1 (_seg UInt64 CODEC(T64, LZ4), _row UInt64 CODEC(Delta, LZ4), _gone UInt8 DEFAULT 0 CODEC(T64, LZ4), c1_f Nullable(Float64), c2_f Nullable(Float64), INDEX i_c1_f c1_f TYPE minmax GRANULARITY 1, INDEX i_c2_f c2_f TYPE minmax GRANULARITY 1) ENGINE = SharedMergeTree PARTITION BY _seg ORDER BY _row SETTINGS replicated_deduplication_window = 0, min_bytes_for_wide_part = 10485760, merge_selector_base = 30, auto_statistics_types = ''
  -- {"max_query_size":"16777216","alter_sync":"3","mutations_sync":"3","lightweight_deletes_sync":"3"}
CREATE TABLE IF NOT EXISTS rows.s2 (_seg UInt64 CODEC(T64, LZ4), _row UInt64 CODEC(Delta, LZ4), _gone UInt8 DEFAULT 0 CODEC(T64, LZ4), c1_f Nullable(Float64), …, c200_f Nullable(Float64), c201_f Nullable(Float64)) ENGINE = SharedMergeTree PARTITION BY _seg ORDER BY _row SETTINGS replicated_deduplication_window = 0, min_bytes_for_wide_part = 1000000000000, merge_selector_base = 5, auto_statistics_types = ''
  -- {"max_query_size":"16777216","alter_sync":"3","mutations_sync":"3","lightweight_deletes_sync":"3"}
ALTER TABLE rows.s1 ADD COLUMN IF NOT EXISTS c3_f Nullable(Float64), ADD INDEX IF NOT EXISTS i_c3_f c3_f TYPE minmax GRANULARITY 1
  -- {"max_query_size":"16777216","alter_sync":"3","mutations_sync":"3","lightweight_deletes_sync":"3"}
ALTER TABLE rows.s1 ADD COLUMN IF NOT EXISTS c201_f Nullable(Float64)
  -- {"max_query_size":"16777216","alter_sync":"3","mutations_sync":"3","lightweight_deletes_sync":"3"}
ALTER TABLE rows.s1 MODIFY SETTING min_bytes_for_wide_part = 1000000000000, merge_selector_base = 5
  -- {"max_query_size":"16777216","alter_sync":"3","mutations_sync":"3","lightweight_deletes_sync":"3"}
ALTER TABLE rows.pool_narrow ADD COLUMN IF NOT EXISTS s9 Nullable(String)
  -- {"max_query_size":"16777216","alter_sync":"3","mutations_sync":"3","lightweight_deletes_sync":"3"}
CREATE TABLE IF NOT EXISTS rows.u7 AS rows.s1 ENGINE = SharedMergeTree PARTITION BY _seg ORDER BY _row SETTINGS replicated_deduplication_window = 10000, min_bytes_for_wide_part = 10485760, merge_selector_base = 30, auto_statistics_types = ''
  -- {"max_query_size":"16777216","alter_sync":"3","mutations_sync":"3","lightweight_deletes_sync":"3"}
CREATE TABLE IF NOT EXISTS rows.u8 AS rows.s2 ENGINE = SharedMergeTree PARTITION BY _seg ORDER BY _row SETTINGS replicated_deduplication_window = 10000, min_bytes_for_wide_part = 1000000000000, merge_selector_base = 5, auto_statistics_types = ''
  -- {"max_query_size":"16777216","alter_sync":"3","mutations_sync":"3","lightweight_deletes_sync":"3"}
CREATE TABLE IF NOT EXISTS rows.r7_0f (_row UInt64 CODEC(Delta, LZ4), c1_s LowCardinality(Nullable(String)), c3_f Nullable(Float64), INDEX i_c3_f c3_f TYPE minmax GRANULARITY 1) ENGINE = SharedMergeTree ORDER BY _row SETTINGS replicated_deduplication_window = 0, min_bytes_for_wide_part = 10485760, merge_selector_base = 30, auto_statistics_types = ''
  -- {"max_query_size":"16777216","alter_sync":"3","mutations_sync":"3","lightweight_deletes_sync":"3"}
RENAME TABLE rows.u7 TO rows.a7_0f
  -- {}
ALTER TABLE rows.s1 REPLACE PARTITION 7 FROM rows.a7_0f
  -- {}
ALTER TABLE rows.s1 DROP PARTITION 7, DROP PARTITION 8
  -- {"max_table_size_to_drop":"0","max_partition_size_to_drop":"0"}
ALTER TABLE rows.pool_narrow APPLY DELETED MASK IN PARTITION 0, APPLY DELETED MASK IN PARTITION 15
  -- {"alter_sync":"3","mutations_sync":"3","lightweight_deletes_sync":"3"}
DROP TABLE IF EXISTS rows.a7_0f SYNC
  -- {"max_table_size_to_drop":"0","max_partition_size_to_drop":"0"}
DROP TABLE IF EXISTS rows.s1
  -- {"max_table_size_to_drop":"0","max_partition_size_to_drop":"0"}
