import type { QuerySettings } from './client.js';

const gib = 1024 ** 3;

/** Cells of one block, so that thousands of columns take no more memory than a few. */
const cellsPerBlock = 1_048_576;

/** Of a statement that reads every column of many rows in the background: one thread, bounded memory, no hurry. */
export const backgroundSettings = (columns: number): QuerySettings => ({
  max_threads: 1,
  max_memory_usage: String(2 * gib),
  max_block_size: String(Math.max(1_024, Math.min(65_536, Math.floor(cellsPerBlock / (columns + 2))))),
  max_execution_time: 0,
  max_query_size: '67108864',
  max_ast_elements: '1000000',
  max_expanded_ast_elements: '2000000',
});
