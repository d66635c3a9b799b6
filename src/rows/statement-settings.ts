/** Settings of statements that read or write many rows in the background with bounded memory. */
import type { QuerySettings } from '../storage/clickhouse/client.js';

const gib = 1024 ** 3;

/** Cells of a block, so that thousands of columns take no more memory than a few. */
const cellsPerBlock = 1_048_576;

/** For a statement that reads every column of many rows: one thread, and smaller blocks for more columns. */
export const backgroundSettings = (columns: number): QuerySettings => ({
  max_threads: 1,
  max_memory_usage: String(2 * gib),
  max_block_size: String(Math.max(1_024, Math.min(65_536, Math.floor(cellsPerBlock / (columns + 2))))),
  max_execution_time: 0,
  max_query_size: '67108864',
  max_ast_elements: '1000000',
  max_expanded_ast_elements: '2000000',
});

/** For an INSERT of stored rows: one thread, bounded blocks, no deduplication. */
export const copySettings: QuerySettings = {
  max_insert_threads: '1',
  insert_deduplicate: 0,
  async_insert: 0,
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(gib / 8),
};

/** `copySettings` for many segments, each a partition of an own table. */
export const manySegmentSettings: QuerySettings = {
  ...copySettings,
  max_threads: 1,
  max_partitions_per_insert_block: '0',
  max_memory_usage: String(2 * gib),
  max_execution_time: 0,
  max_query_size: '67108864',
};

/** For statements that join a file with the previous version. Bounds memory for any size. */
export const mergeSettings: QuerySettings = {
  ...copySettings,
  max_threads: 2,
  max_memory_usage: String(3 * gib),
  max_bytes_before_external_group_by: String(gib / 2),
  max_bytes_before_external_sort: String(gib / 2),
  join_algorithm: 'grace_hash',
  max_bytes_in_join: String(gib / 2),
  join_use_nulls: 0,
  // Rows are already filtered by key hash; a runtime filter would take a quarter of the CPU time.
  enable_join_runtime_filters: 0,
  max_block_size: '65536',
  max_execution_time: 0,
  max_query_size: '67108864',
  transform_null_in: 0,
};
